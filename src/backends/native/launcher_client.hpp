// Talks to a launcher. Replies come by id and operation, so calls of many sandboxes run side by
// side: whoever waits first reads for all. Every call has a deadline; a reply that comes after it
// is dropped, and a sandbox that was made too late for its caller is ended. Lives on one I/O
// thread.
#pragma once

#include <chrono>
#include <list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "async/stream.hpp"
#include "async/task.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "engine/launcher_protocol.hpp"

namespace atl::backends::native {

// How long a reply may take: far beyond what it takes on a busy machine.
struct LauncherTimes {
  std::chrono::milliseconds life{60'000};  // create, destroy
  std::chrono::milliseconds other{20'000};
  std::chrono::milliseconds pause{1'000};  // until everything in a sandbox stands still
};

class LauncherClient {
 public:
  LauncherClient(async::Executor executor, UniqueFd control, LauncherTimes times = {});

  // Waits for its turn when the launcher has many requests before it, and for the reply.
  async::Task<Result<engine::LauncherReply>> create(engine::CreateRequest request,
                                                    std::vector<int> sources);
  async::Task<Result<engine::LauncherReply>> call(engine::LauncherOp op, SandboxId id);
  // Comes back when everything in the sandbox stands still. One that does not in time goes on, as
  // does that of a task that was cancelled.
  async::Task<Result<engine::LauncherReply>> pause(SandboxId id);
  async::Task<Result<engine::LauncherReply>> set_limits(SandboxId id, engine::Limits limits);
  // The listener and the DNS socket of its network.
  async::Task<Result<std::vector<UniqueFd>>> open_egress(SandboxId id);
  async::Task<Result<std::vector<SandboxId>>> list();
  async::Task<Result<engine::LauncherReply>> zygote(engine::ZygoteRequest request,
                                                    std::vector<int> given);
  // Leaves it to the launcher: nobody waits for the reply.
  Result<void> post_zygote(const engine::ZygoteRequest& request, std::span<const int> given);
  Result<void> post(engine::LauncherOp op, const SandboxId& id);
  // Which zygotes the launcher was asked for: sandboxes use those that it has met.
  struct Meeting {
    bool met = false;
    std::chrono::steady_clock::time_point asked;  // when that was in vain
  };
  Meeting& meeting(const engine::ZygoteKey& key);
  // Until the launcher has ended. A new one takes a new client.
  async::Task<void> until_gone();
  bool is_gone() const { return gone_; }

 private:
  struct Answer {
    std::vector<engine::LauncherReply> replies;  // at least one when it is complete
    std::vector<UniqueFd> fds;                   // that came with them
  };
  struct Waiter {
    Waiter(engine::LauncherOp what, std::string whose) : op(what), id(std::move(whose)) {}
    engine::LauncherOp op;
    std::string id;
    async::Event wake;  // done, or it shall read
    Answer answer;
    bool done = false;
    bool abandoned = false;  // nobody waits any more, but the replies must be told apart
  };
  Result<void> send(const void* bytes, std::size_t size, std::span<const int> descriptors);
  async::Task<Result<void>> send_in_turn(const void* bytes, std::size_t size,
                                         std::vector<int> descriptors);
  async::Task<Result<Answer>> ask(engine::RequestHeader header, const void* bytes, std::size_t size,
                                  std::vector<int> descriptors);
  async::Task<Result<Answer>> exchange(engine::RequestHeader header, const void* bytes,
                                       std::size_t size, std::vector<int> descriptors);
  async::Task<Result<Answer>> ask_while_busy(engine::RequestHeader header, const void* bytes,
                                             std::size_t size, std::vector<int> descriptors);
  async::Task<Result<void>> read_one();
  async::Task<Result<std::size_t>> receive(std::span<char> into, std::vector<UniqueFd>& fds);
  void hand_over();
  void take(const engine::LauncherReply& reply, std::vector<UniqueFd> fds);

  std::chrono::milliseconds time_for(engine::LauncherOp op) const;

  async::Stream control_;
  LauncherTimes times_;
  std::list<async::Event> senders_;  // first come, first served
  std::list<Waiter> waiters_;
  bool reading_ = false;
  std::size_t watchers_ = 0;  // in until_gone(), where they read for everybody
  async::Event watch_;
  bool gone_ = false;
  std::map<std::string, Meeting> meetings_;  // by the bytes of their keys
  std::vector<SandboxId> unwanted_;          // made after their caller gave up
};

// The sentence and code for a request that the launcher could not fulfil.
Error launcher_error(const engine::LauncherReply& reply);

}  // namespace atl::backends::native
