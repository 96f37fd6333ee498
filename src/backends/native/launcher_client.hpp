// Talks to a launcher. Replies come by id and operation, so calls of many sandboxes run side by
// side: whoever waits first reads for all. Lives on one I/O thread.
#pragma once

#include <list>
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

class LauncherClient {
 public:
  LauncherClient(async::Executor executor, UniqueFd control);

  // Waits for its turn when the launcher has many requests before it, and for the reply.
  async::Task<Result<engine::LauncherReply>> create(engine::CreateRequest request,
                                                    std::vector<int> sources);
  async::Task<Result<engine::LauncherReply>> call(engine::LauncherOp op, SandboxId id);
  async::Task<Result<engine::LauncherReply>> set_limits(SandboxId id, engine::Limits limits);
  async::Task<Result<std::vector<SandboxId>>> list();
  async::Task<Result<engine::LauncherReply>> zygote(engine::ZygoteRequest request,
                                                    std::vector<int> given);
  // Leaves it to the launcher: nobody waits for the reply.
  Result<void> post_zygote(const engine::ZygoteRequest& request, std::span<const int> given);
  Result<void> post(engine::LauncherOp op, const SandboxId& id);

 private:
  struct Waiter {
    engine::LauncherOp op;
    std::string id;
    std::vector<engine::LauncherReply> replies;
    bool done = false;
  };
  Result<void> send(const void* bytes, std::size_t size, std::span<const int> descriptors);
  async::Task<Result<void>> send_in_turn(const void* bytes, std::size_t size,
                                         std::vector<int> descriptors);
  async::Task<Result<std::vector<engine::LauncherReply>>> wait(engine::LauncherOp op,
                                                               std::string id);
  async::Task<Result<void>> read_one();
  void take(const engine::LauncherReply& reply);

  async::Stream control_;
  std::list<Waiter> waiters_;
  async::Event changed_;
  bool reading_ = false;
};

// The sentence and code for a request that the launcher could not fulfil.
Error launcher_error(const engine::LauncherReply& reply);

}  // namespace atl::backends::native
