// The case that comes first: what is in a sandbox outlives whoever made it.
#include <algorithm>

#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;

Task<void> survives_its_client(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->put_text("kept.txt", "still here"));
  ATOLL_NEED(ExecResult fifo, co_await box->sandbox->exec({.argv = {"mkfifo", "gate"}}));
  EXPECT_EQ(fifo.status.exit_code, 0) << fifo.output;
  std::uint64_t exec_id = 0;
  int pid = 0;
  {
    ATOLL_NEED(auto process,
               co_await box->sandbox->spawn(ExecRequest::shell(
                   "echo first; echo second; read word < gate; echo third $word; exit 7")));
    exec_id = process->exec_id();
    pid = process->pid();
    ATOLL_NEED_OK(co_await read_until(process.get(), "first\n"));
  }

  ATOLL_NEED(box->sandbox,
             co_await box->target->crash_and_reattach(&box->backend, std::move(box->sandbox)));

  EXPECT_TRUE(box->sandbox->is_running());
  ATOLL_NEED(std::string kept, co_await box->sandbox->get_text("kept.txt"));
  EXPECT_EQ(kept, "still here");
  ATOLL_NEED(auto executions, co_await box->sandbox->executions());
  bool found = false;
  for (const ExecutionInfo& one : executions) {
    if (one.exec_id == exec_id) found = one.running && one.pid == pid;
  }
  EXPECT_TRUE(found) << "the execution is not listed as running";

  ATOLL_NEED(auto again, co_await box->sandbox->attach(exec_id));
  EXPECT_EQ(again->pid(), pid);
  ATOLL_NEED(ExecResult opener,
             co_await box->sandbox->exec(ExecRequest::shell("echo word > gate")));
  ATOLL_NEED(ExecResult rest, co_await collect(again.get()));
  EXPECT_TRUE(rest.stdout_bytes.ends_with("third word\n")) << rest.stdout_bytes;
  EXPECT_EQ(rest.status.exit_code, 7);
}

TEST_P(Conformance, SurvivesItsClient) { run(&survives_its_client, {Cap::kReattach, Cap::kGuest}); }

// Output that nobody read before the crash comes after it, and only once.
Task<void> unread_output_is_not_lost(Box* box) {
  ATOLL_NEED(ExecResult fifo, co_await box->sandbox->exec({.argv = {"mkfifo", "gate", "told"}}));
  std::uint64_t exec_id = 0;
  {
    ATOLL_NEED(auto process, co_await box->sandbox->spawn(ExecRequest::shell(
                                 "seq 1 1000; echo > told; read word < gate; seq 1001 2000")));
    exec_id = process->exec_id();
    // The program has written its numbers once it speaks here; none of them is read.
    ATOLL_NEED(ExecResult written,
               co_await box->sandbox->exec(ExecRequest::shell("read word < told")));
  }
  ATOLL_NEED(box->sandbox,
             co_await box->target->crash_and_reattach(&box->backend, std::move(box->sandbox)));
  ATOLL_NEED(auto again, co_await box->sandbox->attach(exec_id));
  ATOLL_NEED(ExecResult opener, co_await box->sandbox->exec(ExecRequest::shell("echo > gate")));
  ATOLL_NEED(ExecResult all, co_await collect(again.get()));
  std::string expected;
  for (int i = 1; i <= 2000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(all.stdout_bytes, expected);
}

TEST_P(Conformance, UnreadOutputIsNotLost) {
  run(&unread_output_is_not_lost, {Cap::kReattach, Cap::kGuest});
}

// Without a guest the programs may be gone, and the rest is there.
Task<void> keeps_files(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->put_text("kept.txt", "still here"));
  ATOLL_NEED(box->sandbox,
             co_await box->target->crash_and_reattach(&box->backend, std::move(box->sandbox)));
  EXPECT_TRUE(box->sandbox->is_running());
  ATOLL_NEED(ExecResult kept, co_await box->sandbox->exec({.argv = {"cat", "kept.txt"}}));
  EXPECT_EQ(kept.stdout_bytes, "still here");
}

TEST_P(Conformance, KeepsFilesOverACrash) { run(&keeps_files, {Cap::kReattach}); }

Task<void> reattach_to_nothing(Box* box) {
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->backend->reattach(SandboxId::make()));
}

TEST_P(Conformance, ReattachToNothingIsNotFound) { run(&reattach_to_nothing, {Cap::kReattach}); }

Task<void> is_listed(Box* box) {
  ATOLL_NEED(auto ids, co_await box->backend->list());
  EXPECT_NE(std::ranges::find(ids, box->sandbox->id()), ids.end());
  SandboxId id = box->sandbox->id();
  ATOLL_NEED_OK(co_await box->sandbox->stop());
  ATOLL_NEED(ids, co_await box->backend->list());
  EXPECT_EQ(std::ranges::find(ids, id), ids.end());
}

TEST_P(Conformance, IsListedWhileItLives) { run(&is_listed, {Cap::kReattach}); }

}  // namespace
}  // namespace atl::sandbox
