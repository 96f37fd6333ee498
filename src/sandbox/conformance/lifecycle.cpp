// Ports, figures, pausing and the end.
#include <sys/resource.h>

#include <algorithm>

#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;

// Listens on a port of its own choice and prints it, so that nobody has to guess or to wait.
constexpr const char* kServer = R"(
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body[::-1])
    def log_message(self, *args): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
print('port', server.server_port, 'open', flush=True)
server.serve_forever()
)";

Task<void> ports(Box* box) {
  ATOLL_NEED(auto server, co_await box->sandbox->spawn({.argv = {"python3", "-c", kServer}}));
  ATOLL_NEED(std::string line, co_await read_until(server.get(), "open\n"));
  auto port = static_cast<std::uint16_t>(std::stoi(line.substr(line.find("port ") + 5)));
  for (int i = 0; i < 3; ++i) {
    ATOLL_NEED(auto stream, co_await box->sandbox->connect(port));
    std::string body(300'000, static_cast<char>('a' + i));
    body += "end";
    ATOLL_NEED_OK(co_await stream->write(
        "POST / HTTP/1.0\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
    std::string answer;
    for (;;) {
      ATOLL_NEED(std::string bytes, co_await stream->read());
      if (bytes.empty()) break;
      answer += bytes;
    }
    std::ranges::reverse(body);
    EXPECT_TRUE(answer.starts_with("HTTP/1.0 200")) << answer.substr(0, 100);
    EXPECT_TRUE(answer.ends_with(body));
  }
  ATOLL_NEED_OK(co_await server->signal(9));
  ATOLL_NEED(ExecResult ended, co_await collect(server.get()));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->connect(port));
}
TEST_P(Conformance, ReachesAPortInside) { run(&ports, {Cap::kConnect}); }

Task<void> usage(Box* box) {
  ATOLL_NEED(auto busy, co_await box->sandbox->spawn(
                            {.argv = {"python3", "-c",
                                      "b = bytearray(b'x' * 50_000_000)\nprint('ready', "
                                      "flush=True)\nimport time\ntime.sleep(1000)"}}));
  ATOLL_NEED_OK(co_await read_until(busy.get(), "ready\n"));
  ATOLL_NEED(Usage usage, co_await box->sandbox->usage());
  EXPECT_GE(usage.memory_bytes, 50'000'000u);
  EXPECT_GE(usage.pids, 1u);
  EXPECT_GT(usage.cpu_seconds, 0.0);
  ATOLL_NEED_OK(co_await busy->signal(9));
}
TEST_P(Conformance, ReportsUsage) { run(&usage, {Cap::kUsage}); }

// What a sandbox borrows of the host may have been used before; its figures begin with it.
Task<void> usage_begins_anew(Box* box) {
  ATOLL_NEED(auto busy,
             co_await box->sandbox->spawn(
                 {.argv = {"python3", "-c",
                           "sum(range(20_000_000))\nb = bytearray(b'x' * 80_000_000)\n"
                           "print('ready', flush=True)\nimport time\ntime.sleep(1000)"}}));
  ATOLL_NEED_OK(co_await read_until(busy.get(), "ready\n"));
  ATOLL_NEED(Usage before, co_await box->sandbox->usage());
  ATOLL_NEED_OK(co_await box->sandbox->stop());
  for (int round = 0; round < 3; ++round) {  // at the latest the second gets what the first had
    ATOLL_NEED(auto other, co_await box->backend->create(box->target->spec()));
    ATOLL_NEED_OK(co_await other->start());
    ATOLL_NEED(Usage usage, co_await other->usage());
    EXPECT_LE(usage.cpu_seconds, before.cpu_seconds / 2);
    EXPECT_LE(usage.memory_peak_bytes, before.memory_peak_bytes / 2);
    EXPECT_EQ(usage.oom_kills, 0u);
    ATOLL_NEED_OK(co_await other->stop());
  }
}
TEST_P(Conformance, UsageBeginsAnew) { run(&usage_begins_anew, {Cap::kUsage}); }

Task<void> exec_figures(Box* box) {
  ATOLL_NEED(ExecResult result,
             co_await box->sandbox->exec(
                 {.argv = {"python3", "-c", "sum(range(3000000)); b = bytes(30000000)"}}));
  EXPECT_GT(result.status.wall.count(), 0);
  EXPECT_GT((result.status.cpu_user + result.status.cpu_system).count(), 0);
  EXPECT_GT(result.status.max_rss_bytes, 1'000'000u);
}
TEST_P(Conformance, ReportsWhatAnExecutionUsed) { run(&exec_figures, {Cap::kGuest}); }

Task<void> pausing(Box* box) {
  ATOLL_NEED(auto counter,
             co_await box->sandbox->spawn(
                 {.argv = {"python3", "-c",
                           "import os\nfile = os.open('count', os.O_RDWR | os.O_CREAT)\ncount = 0\n"
                           "while True:\n  count += 1\n  os.pwrite(file, b'%d' % count, 0)\n"
                           "  if count == 1: print('ready', flush=True)"}}));
  ATOLL_NEED_OK(co_await read_until(counter.get(), "ready\n"));
  ATOLL_NEED_OK(co_await box->sandbox->pause());
  EXPECT_EQ(box->sandbox->status().state, State::kPaused);
  // Nothing goes on from the moment that pause() is back. The guest may be frozen with the rest:
  // then it is not asked, and the figures tell.
  Result<std::string> count = co_await box->sandbox->get_text("count");
  if (!count) EXPECT_EQ(code_name(count.error().code()), code_name(Code::kConflict));
  ATOLL_NEED(Usage used, co_await box->sandbox->usage());
  for (int look = 0; look < 20 && count; ++look) {
    ATOLL_NEED(std::string now, co_await box->sandbox->get_text("count"));
    EXPECT_EQ(now, *count);
  }
  ATOLL_NEED(Usage still, co_await box->sandbox->usage());
  if (!count) EXPECT_EQ(used.cpu_seconds, still.cpu_seconds);
  ATOLL_NEED_OK(co_await box->sandbox->resume());
  EXPECT_EQ(box->sandbox->status().state, State::kRunning);
  ATOLL_NEED(ExecResult after, co_await box->sandbox->exec({.argv = {"echo", "awake"}}));
  EXPECT_EQ(after.stdout_bytes, "awake\n");
}
TEST_P(Conformance, PausesAndResumes) { run(&pausing, {Cap::kPause}); }

Task<void> undeclared_pause(Box* box) {
  if (box->target->entry().has(Cap::kPause)) co_return;
  ATOLL_EXPECT_CODE(Code::kUnsupported, co_await box->sandbox->pause());
  ATOLL_EXPECT_CODE(Code::kUnsupported, co_await box->sandbox->resume());
}
TEST_P(Conformance, WhatIsNotDeclaredIsRefused) { run(&undeclared_pause); }

Task<void> stopping(Box* box) {
  EXPECT_TRUE(box->sandbox->is_running());
  EXPECT_EQ(box->sandbox->status().state, State::kRunning);
  ATOLL_NEED(auto process, co_await box->sandbox->spawn({.argv = {"sleep", "1000"}}));
  ATOLL_NEED_OK(co_await box->sandbox->stop());
  EXPECT_FALSE(box->sandbox->is_running());
  EXPECT_EQ(box->sandbox->status().state, State::kStopped);
  EXPECT_FALSE((co_await process->read()).has_value());
  ATOLL_EXPECT_CODE(Code::kNotStarted, co_await box->sandbox->exec({.argv = {"true"}}));
  ATOLL_EXPECT_CODE(Code::kNotStarted, co_await box->sandbox->stat("x"));
  ATOLL_NEED_OK(co_await box->sandbox->stop());  // once more is no error
}
TEST_P(Conformance, StopEndsEverything) { run(&stopping); }

Task<void> not_started(Box* box) {
  ATOLL_NEED(auto other, co_await box->backend->create(box->target->spec()));
  EXPECT_FALSE(other->is_running());
  ATOLL_EXPECT_CODE(Code::kNotStarted, co_await other->exec({.argv = {"true"}}));
}
TEST_P(Conformance, NothingRunsBeforeTheStart) { run(&not_started); }

// A server that has too many files open for a moment must not take its sandboxes for dead.
Task<void> no_descriptors(Box* box) {
  rlimit before{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  (void)co_await box->sandbox->exec({.argv = {"true"}});  // which may need none
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(box->sandbox->is_running());
  ATOLL_NEED_OK(co_await box->sandbox->exec({.argv = {"true"}}));
}
TEST_P(Conformance, WithoutDescriptorsItIsNotLost) { run(&no_descriptors); }

Task<void> two_sandboxes(Box* box) {
  ATOLL_NEED(auto other, co_await box->backend->create(box->target->spec()));
  ATOLL_NEED_OK(co_await other->start());
  ATOLL_NEED_OK(co_await box->sandbox->put_text("mine", "1"));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await other->stat("mine"));
  ATOLL_NEED_OK(co_await other->stop());
  ATOLL_NEED(std::string mine, co_await box->sandbox->get_text("mine"));
  EXPECT_EQ(mine, "1");
}
TEST_P(Conformance, SandboxesDoNotShareFiles) { run(&two_sandboxes, {Cap::kFiles}); }

}  // namespace
}  // namespace atl::sandbox
