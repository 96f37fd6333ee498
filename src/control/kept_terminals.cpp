#include "control/kept_terminals.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/ids.hpp"

namespace atl::control {

using async::Task;

namespace {

constexpr std::size_t kManyEnded = 100;  // no more of them are kept in memory

Task<void> end_program(KeptTerminalPtr terminal) { (void)co_await terminal->signal(SIGKILL); }

}  // namespace

Task<void> KeptTerminal::run(std::shared_ptr<KeptTerminal> self) {
  for (;;) {
    Result<std::string> bytes = co_await self->terminal_->read();
    if (!bytes || bytes->empty()) {
      if (!bytes) {
        self->kept_.clear();  // the sandbox is gone, and nobody can ask
        self->printed_ = 0;
      } else {
        Result<TerminalExit> status = co_await self->terminal_->wait();
        if (status) self->exit_ = *status;
      }
      break;
    }
    self->printed_ += bytes->size();
    self->kept_ += *bytes;
    if (self->kept_.size() > kKept) self->kept_.erase(0, self->kept_.size() - kKept);
    self->changed_.notify_all();
  }
  self->ended_ = true;
  self->changed_.notify_all();
}

Task<KeptTerminal::Piece> KeptTerminal::read(std::uint64_t from, std::uint64_t client) {
  while (from >= printed_ && !ended_ && is_attached(client)) co_await changed_.wait();
  Piece piece{.at = std::min(from, printed_), .bytes = {}};
  if (from >= printed_ || !is_attached(client)) co_return piece;
  std::uint64_t first = printed_ - kept_.size();
  piece.at = std::max(from, first);
  piece.bytes = kept_.substr(static_cast<std::size_t>(piece.at - first));
  co_return piece;
}

std::optional<std::uint64_t> KeptTerminal::attach(bool take_over) {
  if (client_ != 0 && !take_over) return std::nullopt;
  client_ = ++clients_;
  changed_.notify_all();
  return client_;
}

void KeptTerminal::detach(std::uint64_t client) {
  if (client_ == client) client_ = 0;
  changed_.notify_all();
}

void KeptTerminals::forget_ended() {
  std::erase_if(all_, [](const auto& one) { return one.second->ended(); });
}

Task<Result<std::string>> KeptTerminals::open(Caller caller, SessionId id,
                                              TerminalRequest request) {
  auto full = [&] {
    auto of_session = [&](const auto& one) { return one.second->session_ == id; };
    return all_.size() >= kMost ||
           std::ranges::count_if(all_, of_session) >= static_cast<std::ptrdiff_t>(kMostOfSession);
  };
  if (full() || all_.size() >= kManyEnded) forget_ended();
  if (full()) {
    co_return fail(Code::kResourceExhausted, "the session has too many terminals");
  }
  ATOLL_CO_TRY(std::shared_ptr<Terminal> terminal,
               co_await terminals_.open(caller, id, std::move(request)));
  ATOLL_CO_CHECK(co_await terminal->start());
  auto kept = std::make_shared<KeptTerminal>(caller.tenant, std::move(id), std::move(terminal));
  if (!tasks_.spawn(KeptTerminal::run(kept))) {
    co_return fail(Code::kCancelled, "the server is stopping");
  }
  std::string name = make_sortable_id();
  all_.emplace(name, std::move(kept));
  co_return name;
}

Result<KeptTerminalPtr> KeptTerminals::find(const Caller& caller, const SessionId& id,
                                            const std::string& terminal) const {
  auto found = all_.find(terminal);
  if (found != all_.end() && found->second->tenant_ == caller.tenant &&
      found->second->session_ == id) {
    return found->second;
  }
  return fail(Code::kNotFound, "there is no terminal " + terminal.substr(0, 80));
}

Result<void> KeptTerminals::remove(const Caller& caller, const SessionId& id,
                                   const std::string& terminal) {
  ATOLL_TRY(KeptTerminalPtr kept, find(caller, id, terminal));
  all_.erase(terminal);
  if (!kept->ended()) tasks_.spawn(end_program(std::move(kept)));
  return {};
}

}  // namespace atl::control
