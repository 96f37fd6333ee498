#include "control/idempotency.hpp"

#include <utility>

namespace atl::control {

using async::Task;

Idempotency::Running::Running(Running&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), name_(std::move(other.name_)) {}

Idempotency::Running::~Running() {
  if (owner_ != nullptr) owner_->running_.erase(name_);
}

Task<Result<Idempotency::Begun>> Idempotency::begin(std::string tenant, std::string key,
                                                    std::string fingerprint) {
  std::string name = tenant + '\0' + key;
  if (!running_.insert(name).second) {
    co_return fail(Code::kConflict, "the first request with this Idempotency-Key still runs");
  }
  Begun begun;
  begun.running.emplace(this, std::move(name));
  Result<store::IdempotencyRow> row = co_await store_.idempotency(tenant, key);
  if (!row) {
    if (row.error().code() != Code::kNotFound) co_return fail(row.error());
    co_return begun;
  }
  if (clock_.wall() - row->created_at > kept_) co_return begun;
  if (row->fingerprint != fingerprint) {
    co_return fail(Code::kIdempotencyMismatch,
                   "this Idempotency-Key came with another request before: take a new one");
  }
  begun.running.reset();
  begun.earlier = std::move(*row);
  co_return begun;
}

store::Change Idempotency::answer(std::string tenant, std::string key, std::string fingerprint,
                                  int status, std::string body, std::string made) const {
  return store::PutIdempotency{
      {.tenant = std::move(tenant),
       .key = std::move(key),
       .fingerprint = std::move(fingerprint),
       .status = status,
       .answer = std::move(body),
       .made = std::move(made),
       .created_at = std::chrono::time_point_cast<std::chrono::milliseconds>(clock_.wall())}};
}

}  // namespace atl::control
