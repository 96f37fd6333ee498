// The operator's limits on what a sandbox and its tenant may have at a time, a second, and in all.
#include <algorithm>
#include <vector>

#include "egress/connection.hpp"
#include "egress/sandbox.hpp"

namespace atl::egress {

namespace {

// The last connections that there are descriptors for: no tenant is without any because of others.
std::size_t shared_out(const Context& context) {
  constexpr std::size_t kLeast = 8;
  return std::max(context.capacity / 32, std::min(kLeast, context.capacity / 4));
}

bool is_crowded(const Context& context) {
  return context.connections >= context.capacity - shared_out(context);
}

}  // namespace

void Sandbox::limits_changed() {
  const Limits& limits = context_.limits;
  new_names_.limit(limits.new_names_per_second);
  for (ByteRate* rate : {&down_, &up_}) rate->limit(limits.bytes_per_second);
  for (ByteRate* rate : {&tenant_->down, &tenant_->up}) rate->limit(limits.tenant_bytes_per_second);
  if (used_up()) used_up_.start(std::chrono::milliseconds(0));
  watch_listener();
}

bool Sandbox::used_up() const {
  std::uint64_t most = context_.limits.bytes;
  return most > 0 && used_before_ + rx_ + tx_ >= most;
}

void Sandbox::count(std::uint64_t rx, std::uint64_t tx) {
  bool before = used_up();
  rx_ += rx;
  tx_ += tx;
  // Not at once: a connection is in the middle of something.
  if (!before && used_up()) used_up_.start(std::chrono::milliseconds(0));
}

bool Sandbox::is_full() const {
  if (connections_.size() + dns_streams_.size() >= context_.limits.connections ||
      tenant_->connections >= context_.limits.tenant_connections) {
    return true;
  }
  if (context_.holds_much() && tenant_->connections > 0) return true;
  if (!is_crowded(context_)) return false;
  std::size_t share = shared_out(context_) / std::max<std::size_t>(context_.tenants, 1);
  return tenant_->connections >= std::max<std::size_t>(share, 1);
}

void Sandbox::taken() {
  ++tenant_->connections;
  ++context_.connections;
}

// Connections have ended, so that others may be accepted.
void Sandbox::freed(std::size_t connections) {
  bool was_crowded = is_crowded(context_) || context_.held > context_.memory / 2;
  tenant_->connections -= connections;
  context_.connections -= connections;
  if (connections == 0 || context_.waiting.empty()) return;
  std::vector<Sandbox*> waiting(context_.waiting.begin(), context_.waiting.end());
  for (Sandbox* one : waiting) {
    if (was_crowded || one->tenant_ == tenant_) one->watch_listener();
  }
}

void Sandbox::memory_freed() {
  std::vector<Sandbox*> waiting(context_.waiting.begin(), context_.waiting.end());
  for (Sandbox* one : waiting) one->watch_listener();
}

std::size_t Sandbox::left(Way way) {
  auto now = context_.loop.now();
  bool is_up = way == Way::kUp;
  return std::min((is_up ? up_ : down_).room(now), (is_up ? tenant_->up : tenant_->down).room(now));
}

// Where several have waited, none takes all of it.
std::size_t Sandbox::room(Way way) {
  constexpr std::chrono::milliseconds kSharing{200};
  std::size_t most = left(way);
  if (most != SIZE_MAX && context_.loop.now() - shared_at_ < kSharing) {
    most = std::min(most, way == Way::kUp ? up_share_ : down_share_);
  }
  return std::min(most, context_.read_size());
}

void Sandbox::spend(Way way, std::uint64_t bytes) {
  bool is_up = way == Way::kUp;
  (is_up ? up_ : down_).spend(bytes);
  (is_up ? tenant_->up : tenant_->down).spend(bytes);
}

void Sandbox::wait_for_room(Connection& connection) {
  no_room_.insert(&connection);
  if (room_.runs()) return;
  std::chrono::milliseconds wait{1};
  for (ByteRate* rate : {&down_, &up_, &tenant_->down, &tenant_->up}) {
    if (rate->room(context_.loop.now()) == 0) wait = std::max(wait, rate->wait());
  }
  room_.start(wait);
}

// Those for which there is still none wait again.
void Sandbox::on_room() {
  std::vector<std::shared_ptr<Connection>> waiting;
  for (Connection* one : no_room_) {
    if (auto found = connections_.find(one); found != connections_.end()) {
      waiting.push_back(found->second);
    }
  }
  no_room_.clear();
  std::size_t count = std::max<std::size_t>(waiting.size(), 1);
  up_share_ = std::max<std::size_t>(left(Way::kUp) / count, 1);
  down_share_ = std::max<std::size_t>(left(Way::kDown) / count, 1);
  shared_at_ = context_.loop.now();
  for (auto& connection : waiting) connection->update();
}

}  // namespace atl::egress
