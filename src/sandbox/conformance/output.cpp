// Output: streaming, much of it, byte for byte.
#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;

Task<void> streams(Box* box) {
  ATOLL_NEED(ExecResult fifo, co_await box->sandbox->exec({.argv = {"mkfifo", "gate"}}));
  ATOLL_NEED(auto process, co_await box->sandbox->spawn(
                               ExecRequest::shell("echo early; read x < gate; echo late")));
  // The first line arrives while the program still waits for us.
  ATOLL_NEED_OK(co_await read_until(process.get(), "early\n"));
  ATOLL_NEED(ExecResult opener, co_await box->sandbox->exec(ExecRequest::shell("echo > gate")));
  ATOLL_NEED(ExecResult rest, co_await collect(process.get()));
  EXPECT_EQ(rest.stdout_bytes, "late\n");
}
TEST_P(Conformance, StreamsOutputAsItComes) { run(&streams); }

Task<void> exact_bytes(Box* box) {
  ATOLL_NEED(ExecResult result,
             co_await box->sandbox->exec(
                 {.argv = {"python3", "-c",
                           "import sys; sys.stdout.buffer.write(bytes(range(256)) * 3);"
                           "sys.stderr.buffer.write(b'\\xff\\x00\\xfe')"}}));
  std::string all;
  for (int round = 0; round < 3; ++round) {
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  }
  EXPECT_EQ(result.stdout_bytes, all);
  EXPECT_EQ(result.stderr_bytes, std::string("\xff\x00\xfe", 3));
}
TEST_P(Conformance, KeepsEveryByte) { run(&exact_bytes, {Cap::kGuest}); }

Task<void> much_output(Box* box) {
  constexpr std::size_t kSize = 100'000'000;
  ATOLL_NEED(auto process, co_await box->sandbox->spawn(
                               {.argv = {"head", "-c", std::to_string(kSize), "/dev/zero"}}));
  reset_peak_memory();
  std::size_t before = peak_memory();
  std::size_t received = 0;
  bool all_zero = true;
  for (;;) {
    ATOLL_NEED(OutputChunk chunk, co_await process->read());
    if (chunk.stream == OutputStream::kEnd) break;
    received += chunk.bytes.size();
    all_zero = all_zero && chunk.bytes.find_first_not_of('\0') == std::string::npos;
  }
  ATOLL_NEED(ExitStatus status, co_await process->wait());
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_EQ(received, kSize);
  EXPECT_TRUE(all_zero);
  EXPECT_LT(peak_memory() - before, 32u << 20) << "memory grew with the output";
}
TEST_P(Conformance, HundredMegabytesInBoundedMemory) { run(&much_output, {Cap::kGuest}); }

Task<void> collected_output_is_capped(Box* box) {
  ExecRequest request = ExecRequest::shell("head -c 3000000 /dev/zero; echo tail >&2");
  request.max_output_bytes = 1'000'000;
  ATOLL_NEED(ExecResult result, co_await box->sandbox->exec(std::move(request)));
  EXPECT_EQ(result.stdout_bytes.size(), 1'000'000u);
  EXPECT_EQ(result.stderr_bytes, "tail\n");
  EXPECT_TRUE(result.status.truncated);
  EXPECT_EQ(result.status.exit_code, 0);
}
TEST_P(Conformance, CollectedOutputIsCapped) { run(&collected_output_is_capped); }

Task<void> unread_output_makes_the_program_wait(Box* box) {
  ATOLL_NEED(auto process, co_await box->sandbox->spawn(
                               ExecRequest::shell("head -c 5000000 /dev/zero; touch done")));
  ATOLL_NEED(OutputChunk first, co_await process->read());
  // Other operations on the same connection go on while nobody reads this one.
  for (int i = 0; i < 50; ++i) {
    ATOLL_NEED(ExecResult other, co_await box->sandbox->exec({.argv = {"true"}}));
    ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->stat("done"));
  }
  std::size_t received = first.bytes.size();
  for (;;) {
    ATOLL_NEED(OutputChunk chunk, co_await process->read());
    if (chunk.stream == OutputStream::kEnd) break;
    received += chunk.bytes.size();
  }
  EXPECT_EQ(received, 5'000'000u);
  ATOLL_NEED(FileInfo done, co_await box->sandbox->stat("done"));
}
TEST_P(Conformance, UnreadOutputMakesTheProgramWait) {
  run(&unread_output_makes_the_program_wait, {Cap::kGuest});
}

Task<void> orphans_do_not_hold_the_result(Box* box) {
  // The shell ends at once; its child keeps stdout open and must not keep us.
  ATOLL_NEED(ExecResult fifo, co_await box->sandbox->exec({.argv = {"mkfifo", "gate"}}));
  ATOLL_NEED(ExecResult result,
             co_await box->sandbox->exec(ExecRequest::shell("(read x < gate) & echo parent done")));
  EXPECT_EQ(result.stdout_bytes, "parent done\n");
  EXPECT_EQ(result.status.exit_code, 0);
  ATOLL_NEED(ExecResult opener, co_await box->sandbox->exec(ExecRequest::shell("echo > gate")));
}
TEST_P(Conformance, OrphansDoNotHoldTheResult) { run(&orphans_do_not_hold_the_result); }

}  // namespace
}  // namespace atl::sandbox
