#include "base/child.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace atl {
namespace {

// Keeps what it adopts, so that the test can look at the corpse.
class KeepingReaper final : public Reaper {
 public:
  void adopt(UniqueFd pidfd) override { kept = std::move(pidfd); }
  UniqueFd kept;
};

pid_t fork_waiting() {
  pid_t pid = ::fork();
  if (pid == 0) {
    for (;;) ::pause();
  }
  return pid;
}

TEST(Child, AForgottenChildIsKilledAndHandedToTheReaper) {
  KeepingReaper reaper;
  {
    Child child = Child::own(fork_waiting(), reaper).value();
  }
  ASSERT_TRUE(reaper.kept);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PIDFD, static_cast<id_t>(reaper.kept.get()), &info, WEXITED), 0);
  EXPECT_EQ(info.si_status, SIGKILL);
}

TEST(Child, MoveAssignmentKillsTheOldOne) {
  KeepingReaper reaper;
  Child child = Child::own(fork_waiting(), reaper).value();
  child = Child();
  EXPECT_TRUE(reaper.kept);
  EXPECT_FALSE(child);
}

TEST(Child, ReapEmptiesIt) {
  Child child = Child::own(fork_waiting()).value();
  ASSERT_TRUE(child.kill(SIGTERM).has_value());
  ChildExit exit = child.reap().value();
  EXPECT_EQ(exit.signal, SIGTERM);
  EXPECT_EQ(exit.code, 143);
  EXPECT_FALSE(child);
  EXPECT_EQ(child.kill(SIGTERM).error().code(), Code::kNotFound);
}

TEST(Child, UnknownPidsAreNotFound) {
  EXPECT_EQ(Child::own(0x3fffffff).error().code(), Code::kNotFound);
}

}  // namespace
}  // namespace atl
