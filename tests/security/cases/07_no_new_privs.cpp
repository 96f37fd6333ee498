// Line 7: set-user-id programs. `flag` looks for no_new_privs, `setuid` runs a copy of this program
// that belongs to another user and has the bit (the runner puts it beside), `mounts` looks for one
// mount without nosuid.
#include <sys/prctl.h>
#include <sys/statvfs.h>

#include "attack.hpp"

namespace {

void flag() {
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) {
    attack::through("no_new_privs is not set");
  }
  attack::holds("no_new_privs is set");
}

void report() {
  if (geteuid() != getuid() || getegid() != getgid()) {
    attack::through("euid %u, uid %u, egid %u, gid %u", geteuid(), getuid(), getegid(), getgid());
  }
  attack::holds("euid %u is still ours", geteuid());
}

void setuid_program() {
  const char* program = attack::argument(0);
  execl(program, program, "report", nullptr);
  attack::stopped(errno, "exec of the set-user-id program");
}

void mounts() {
  char table[65536];
  if (attack::slurp("/proc/self/mounts", table, sizeof table) < 0) {
    attack::broken("/proc/self/mounts");
  }
  char* rest = nullptr;
  for (char* line = strtok_r(table, "\n", &rest); line != nullptr; line = strtok_r(nullptr, "\n", &rest)) {
    char* fields = nullptr;
    strtok_r(line, " ", &fields);
    const char* target = strtok_r(nullptr, " ", &fields);
    strtok_r(nullptr, " ", &fields);
    const char* options = strtok_r(nullptr, " ", &fields);
    if (options == nullptr || strstr(options, "nosuid") == nullptr) {
      attack::through("%s is mounted without nosuid: %s", target, options);
    }
  }
  attack::holds("every mount is nosuid");
}

constexpr attack::Attack kAttacks[] = {
    {"flag", flag}, {"report", report}, {"setuid", setuid_program}, {"mounts", mounts}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
