// The filter that keeps user code off a guest of its own uid. Signal 0 only asks, so nothing here
// can hit anybody.
#include "confine/guard.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include <gtest/gtest.h>

#include "confine/capabilities.hpp"

namespace atl::confine {
namespace {

int errno_of(long result) { return result < 0 ? errno : 0; }

// What the calls answer in a process that is guarded against its parent; 0: as they should.
int wrong_answer_in_child(pid_t guest) {
  if (errno_of(::kill(guest, 0)) != 0) return 1;  // before the filter it can be reached
  if (set_no_new_privs() != 0 || install_guard(guest) != 0) return 2;
  if (errno_of(::kill(guest, 0)) != EPERM) return 3;
  if (errno_of(::kill(-guest, 0)) != EPERM) return 4;
  if (errno_of(::kill(-1, 0)) != EPERM) return 5;
  if (errno_of(::syscall(SYS_tgkill, guest, guest, 0)) != EPERM) return 6;
  if (errno_of(::syscall(SYS_tkill, guest, 0)) != EPERM) return 7;
  if (errno_of(::syscall(SYS_pidfd_open, guest, 0)) != EPERM) return 8;
  if (errno_of(::syscall(SYS_pidfd_send_signal, 0, 0, nullptr, 0)) != ENOSYS) return 9;
  if (errno_of(::fcntl(0, F_SETSIG, SIGUSR1)) != EPERM) return 10;
  cpu_set_t cpus;
  if (::sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 11;
  if (errno_of(::sched_setaffinity(guest, sizeof cpus, &cpus)) != EPERM) return 12;
  // What is its own business stays so.
  if (errno_of(::kill(::getpid(), 0)) != 0) return 13;
  if (errno_of(::kill(0, 0)) != 0) return 14;
  if (errno_of(::sched_setaffinity(0, sizeof cpus, &cpus)) != 0) return 15;
  if (errno_of(::fcntl(0, F_GETFD)) != 0) return 16;
  pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  int status = 0;
  return errno_of(::kill(child, 0)) == 0 && ::waitpid(child, &status, 0) == child ? 0 : 17;
}

TEST(Guard, KeepsOffOneProcess) {
  pid_t guest = ::getpid();
  pid_t child = ::fork();
  if (child == 0) ::_exit(wrong_answer_in_child(guest));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace atl::confine
