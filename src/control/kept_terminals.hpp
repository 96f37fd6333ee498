// Terminals that outlive their client's connection: what they print is kept, the last part of it,
// so that a client can come back and see what it missed. On the I/O thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/event.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/sessions.hpp"
#include "control/terminals.hpp"

namespace atl::control {

class KeptTerminal {
 public:
  static constexpr std::size_t kKept = 256u << 10;

  KeptTerminal(std::string tenant, SessionId session, std::shared_ptr<Terminal> terminal)
      : tenant_(std::move(tenant)), session_(std::move(session)), terminal_(std::move(terminal)) {}

  struct Piece {
    std::uint64_t at = 0;  // where it begins: later than asked for where too much came meanwhile
    std::string bytes;     // empty: the program has ended, or the client was replaced
  };
  // What was printed from byte `from` on; waits for it. `client` is what attach() gave.
  async::Task<Piece> read(std::uint64_t from, std::uint64_t client);
  async::Task<Result<void>> write(std::string bytes) { return terminal_->write(std::move(bytes)); }
  async::Task<Result<void>> resize(std::uint16_t rows, std::uint16_t cols) {
    return terminal_->resize(rows, cols);
  }
  async::Task<Result<void>> signal(int number) { return terminal_->signal(number); }

  // Number of the client from now on; nullopt while another one is attached, unless it is taken
  // over.
  std::optional<std::uint64_t> attach(bool take_over);
  void detach(std::uint64_t client);
  bool is_attached(std::uint64_t client) const { return client_ == client; }

  std::uint64_t printed() const { return printed_; }
  bool ended() const { return ended_; }
  const std::optional<TerminalExit>& exit() const { return exit_; }  // absent: it is not known

 private:
  friend class KeptTerminals;
  static async::Task<void> run(std::shared_ptr<KeptTerminal> self);

  std::string tenant_;
  SessionId session_;
  std::shared_ptr<Terminal> terminal_;
  std::string kept_;           // its last bytes
  std::uint64_t printed_ = 0;  // in all
  bool ended_ = false;
  std::optional<TerminalExit> exit_;
  std::uint64_t clients_ = 0;
  std::uint64_t client_ = 0;  // 0: nobody is attached
  async::Event changed_;
};
using KeptTerminalPtr = std::shared_ptr<KeptTerminal>;

class KeptTerminals {
 public:
  static constexpr std::size_t kMost = 1000;
  static constexpr std::size_t kMostOfSession = 16;

  KeptTerminals(async::Executor executor, Terminals& terminals)
      : terminals_(terminals), tasks_(std::move(executor)) {}

  // It runs when this returns. Its id; kResourceExhausted when the session has too many.
  async::Task<Result<std::string>> open(Caller caller, SessionId id, TerminalRequest request);
  // kNotFound, also for one of another session.
  Result<KeptTerminalPtr> find(const Caller& caller, const SessionId& id,
                               const std::string& terminal) const;
  // Ends its program.
  Result<void> remove(const Caller& caller, const SessionId& id, const std::string& terminal);
  async::Task<void> shut_down() { return tasks_.join(); }

 private:
  void forget_ended();

  Terminals& terminals_;
  std::map<std::string, KeptTerminalPtr> all_;
  async::TaskGroup tasks_;
};

}  // namespace atl::control
