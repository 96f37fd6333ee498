// Line 13: typing into the terminal (CVE-2017-5226), TIOCLINUX, and a controlling terminal that
// belongs to the host. Run with a terminal by the runner, `host_terminal` without.
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <termios.h>

#include "attack.hpp"

namespace {

constexpr unsigned long kTiocLinux = 0x541C;

void need_terminal() {
  if (isatty(0) == 0) {
    attack::broken("stdin is no terminal");
  }
}
void push() {
  need_terminal();
  char letter = 'x';
  attack::verdict(ioctl(0, TIOCSTI, &letter), "TIOCSTI");
}
// The kernel takes 32 bits of the request (CVE-2019-7303).
void push_high_bits() {
  need_terminal();
  char letter = 'x';
  attack::verdict(syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, &letter),
                  "TIOCSTI, high bits set");
}
// Through a descriptor of our own, in a session of our own.
void push_own() {
  int status = attack::in_child([] {
    setsid();
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
      _exit(200);
    }
    int slave = open(ptsname(master), O_RDWR);
    char letter = 'x';
    _exit(ioctl(slave, TIOCSTI, &letter) == 0 ? 0 : errno);
  });
  int code = WEXITSTATUS(status);
  if (code == 200) {
    attack::broken("no terminal could be made");
  }
  if (code == 0) {
    attack::through("TIOCSTI on a terminal of our own");
  }
  attack::stopped(code, "TIOCSTI on a terminal of our own");
}
// A pseudo terminal does not know TIOCLINUX: ENOTTY comes from the terminal driver.
void linux_console() {
  need_terminal();
  char command[2] = {3, 0};
  attack::reached(ioctl(0, kTiocLinux, command), {ENOTTY, EINVAL}, "TIOCLINUX");
}
void linux_console_high_bits() {
  need_terminal();
  char command[2] = {3, 0};
  attack::reached(syscall(SYS_ioctl, 0, 0x100000000UL | kTiocLinux, command), {ENOTTY, EINVAL},
                  "TIOCLINUX, high bits set");
}

// Started without a terminal while `atoll` has one: /dev/tty must lead nowhere.
void host_terminal() {
  int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    attack::stopped(errno, "open /dev/tty");
  }
  attack::through("/dev/tty is a controlling terminal");
}

// With -t the terminal must be of the sandbox's own devpts.
void own_terminal() {
  need_terminal();
  struct stat mine{};
  struct stat listed{};
  char path[64] = {};
  if (ttyname_r(0, path, sizeof path) != 0) {
    attack::through("the terminal has no name in here");
  }
  fstat(0, &mine);
  if (stat(path, &listed) != 0 || listed.st_rdev != mine.st_rdev || listed.st_dev != mine.st_dev) {
    attack::through("%s is not the terminal we are on", path);
  }
  if (tcgetsid(0) != getsid(0)) {
    attack::through("the terminal belongs to session %d, we are in %d", tcgetsid(0), getsid(0));
  }
  attack::holds("%s is our own", path);
}

constexpr attack::Attack kAttacks[] = {
    {"tiocsti", push},
    {"tiocsti_high_bits", push_high_bits},
    {"tiocsti_own", push_own},
    {"tioclinux", linux_console},
    {"tioclinux_high_bits", linux_console_high_bits},
    {"host_terminal", host_terminal},
    {"own_terminal", own_terminal},
};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
