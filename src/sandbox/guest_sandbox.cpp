#include "sandbox/guest_sandbox.hpp"

#include <utility>

#include "guest/wire.hpp"
#include "sandbox/exec_args.hpp"
#include "sandbox/guest_process.hpp"
#include "sandbox/records.hpp"

namespace atl::sandbox {

using async::Task;
using guest::Op;

GuestSandbox::GuestSandbox(async::Executor executor, SandboxId id)
    : executor_(std::move(executor)),
      id_(std::move(id)),
      self_(std::make_shared<GuestSandbox*>(this)) {}

GuestSandbox::~GuestSandbox() = default;

Task<bool> GuestSandbox::was_out_of_memory() { co_return false; }

Task<Result<void>> GuestSandbox::connect_guest() {
  if (client_ && !client_->broken()) co_return Result<void>();
  ATOLL_CO_TRY(GuestLink link, co_await open_link());
  // Somebody else may have connected meanwhile; operations on that connection must not break.
  if (client_ && !client_->broken()) co_return Result<void>();
  client_ = std::make_unique<GuestClient>(executor_, std::move(link.stream), link.token,
                                          std::move(link.write_side));
  co_return Result<void>();
}

void GuestSandbox::drop_guest() { client_.reset(); }

Task<Result<GuestClient*>> GuestSandbox::client() {
  ATOLL_CO_CHECK(answers());
  if (!client_ || client_->broken()) ATOLL_CO_CHECK(co_await connect_guest());
  co_return client_.get();
}

Task<Result<GuestChannel>> GuestSandbox::open(Op op, std::string arguments) {
  ATOLL_CO_TRY(GuestClient * guest, co_await client());
  co_return guest->open(op, arguments);
}

Task<Result<void>> GuestSandbox::call(Op op, std::string arguments) {
  ATOLL_CO_TRY(GuestChannel channel, co_await open(op, std::move(arguments)));
  ATOLL_CO_TRY([[maybe_unused]] std::string nothing, co_await channel.reply());
  co_return Result<void>();
}

Task<Result<void>> GuestSandbox::ping() {
  ATOLL_CO_TRY(GuestClient * guest, co_await client());
  co_return co_await guest->ping();
}

Task<Result<std::unique_ptr<Process>>> GuestSandbox::spawn(ExecRequest request) {
  ATOLL_CO_TRY(guest::ExecArgs args, exec_args(request, workspace()));
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kExec, guest::encoded(args)));
  if (request.stdin_data && !request.stdin_open) channel.feed(std::move(*request.stdin_data));
  co_return co_await started(std::move(channel));
}

Task<Result<std::unique_ptr<Process>>> GuestSandbox::attach(std::uint64_t exec_id) {
  guest::Writer args;
  args.number(exec_id);
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kAttach, std::move(args).bytes()));
  co_return co_await started(std::move(channel));
}

Task<Result<std::unique_ptr<Process>>> GuestSandbox::started(GuestChannel channel) {
  ATOLL_CO_TRY(std::string reply, co_await channel.reply());
  auto facts = guest::decoded<guest::ExecStarted>(reply);
  if (!facts) co_return bad_record();
  co_return std::make_unique<GuestProcess>(std::move(channel), *facts, self_);
}

Task<Result<std::vector<ExecutionInfo>>> GuestSandbox::executions() {
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kExecutions, {}));
  ATOLL_CO_TRY(auto records, co_await all_records<guest::ExecutionInfo>(std::move(channel)));
  std::vector<ExecutionInfo> list;
  list.reserve(records.size());
  for (guest::ExecutionInfo& one : records) {
    list.push_back({.exec_id = one.exec_id,
                    .pid = one.pid,
                    .running = one.running != 0,
                    .command = std::move(one.command)});
  }
  co_return list;
}

Task<Result<std::vector<ProcessInfo>>> GuestSandbox::processes() {
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kProcesses, {}));
  co_return co_await all_records<ProcessInfo>(std::move(channel));
}

}  // namespace atl::sandbox
