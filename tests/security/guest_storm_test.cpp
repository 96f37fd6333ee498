// User code against the guest in a sandbox that lives on: while a program of the sandbox fires
// signals at everything it may, other executions are started and the guest is asked for things. It
// must go on answering, time-outs must hold, and stop() must work. `atoll run` has one execution
// only and cannot show this.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "sandbox/registry.hpp"

namespace atl::sandbox {
namespace {

namespace fs = std::filesystem;
using async::Task;

constexpr std::chrono::seconds kAnswer{30};
constexpr int kRounds = 300;

struct Storm {
  const char* attack = nullptr;
  int answered = 0;  // stat() calls that came back in time
  int started = 0;   // executions whose spawn came back in time
  bool stopped = false;
};

Task<Result<void>> ask(Sandbox* sandbox) {
  auto info = co_await sandbox->stat("/usr");
  if (!info) co_return fail(info.error());
  co_return Result<void>();
}

Task<Result<void>> start_one(Sandbox* sandbox) {
  // Detached at once: what becomes of the program under fire is its own business.
  auto process = co_await sandbox->spawn(
      ExecRequest{.argv = {"/bin/true"}, .background = true, .timeout = std::chrono::seconds(2)});
  if (!process) co_return fail(process.error());
  co_return Result<void>();
}

Task<void> weather(async::Executor executor, std::string folder, Storm* storm) {
  Registry registry;
  backends::register_all_backends(registry);
  auto entry = registry.get("native");
  if (!entry) {
    ADD_FAILURE() << entry.error().message();
    co_return;
  }
  BackendOptions options{.executor = executor, .run_folder = folder + "/run"};
  options.state_folder = folder + "/state";
  auto backend = (*entry)->make(std::move(options));
  if (!backend) {
    ADD_FAILURE() << backend.error().message();
    co_return;
  }
  SandboxSpec spec{.id = SandboxId::make()};
  spec.limits.cpus = 2;
  UniqueFd cases(::open(ATOLL_CASES_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  spec.mounts.push_back({.source = std::move(cases), .target = "/cases", .read_only = true});
  auto sandbox = co_await (*backend)->create(std::move(spec));
  if (!sandbox) {
    ADD_FAILURE() << sandbox.error().message();
    co_return;
  }
  if (Result<void> started = co_await (*sandbox)->start(); !started) {
    ADD_FAILURE() << started.error().message();
    co_return;
  }
  auto attacker =
      co_await (*sandbox)->spawn(ExecRequest{.argv = {"/cases/36_guest", storm->attack}});
  if (!attacker) {
    ADD_FAILURE() << attacker.error().message();
    co_return;
  }
  auto ready = co_await (*attacker)->read();
  if (!ready || ready->bytes != "ready\n") {
    ADD_FAILURE() << "the attacker is not ready";
    co_return;
  }
  for (int i = 0; i < kRounds; ++i) {
    Result<void> one = co_await async::with_deadline(
        start_one(sandbox->get()), async::deadline_in(kAnswer), Code::kExecTimeout, "late");
    if (!one && one.error().code() == Code::kExecTimeout) break;
    ++storm->started;
    Result<void> two = co_await async::with_deadline(
        ask(sandbox->get()), async::deadline_in(kAnswer), Code::kExecTimeout, "late");
    if (!two) break;
    ++storm->answered;
  }
  Result<void> stopped = co_await async::with_deadline(
      (*sandbox)->stop(), async::deadline_in(kAnswer), Code::kExecTimeout, "late");
  storm->stopped = stopped.has_value();
}

void run(const char* attack) {
  ASSERT_EQ(::geteuid(), 0u) << "the case of two uids needs root";
  char name[] = "/tmp/atoll-storm-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  std::string folder = name;
  Storm storm{.attack = attack};
  async::run_to_end<void>(
      [&](async::Executor executor) { return weather(std::move(executor), folder, &storm); });
  EXPECT_EQ(storm.started, kRounds) << "the guest stopped answering while it started a program";
  EXPECT_EQ(storm.answered, kRounds) << "the guest stopped answering";
  EXPECT_TRUE(storm.stopped) << "the sandbox could not be stopped";
  while (::waitpid(-1, nullptr, 0) > 0) {  // the launcher, which tidies up its folder at its end
  }
  fs::remove_all(folder);
}

TEST(GuestStorm, StopSignals) { run("stop_storm"); }
TEST(GuestStorm, KillSignals) { run("kill_storm"); }
TEST(GuestStorm, Faults) { run("segv_storm"); }
TEST(GuestStorm, Meddling) { run("meddle"); }

}  // namespace
}  // namespace atl::sandbox
