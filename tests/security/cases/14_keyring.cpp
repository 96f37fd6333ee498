// Line 14: kernel keyrings are not namespaced by anything but the user: reading, joining, leaving
// one.
#include "attack.hpp"

namespace {

void join() {
  attack::verdict(syscall(SYS_keyctl, 1 /*JOIN_SESSION_KEYRING*/, nullptr),
                  "join a session keyring");
}
void user_keyring() {
  attack::verdict(syscall(SYS_keyctl, 0 /*GET_KEYRING_ID*/, -4, 1), "the user's keyring");
}
void read_keys() {
  char buffer[4096];
  ssize_t got = attack::slurp("/proc/keys", buffer, sizeof buffer);
  if (got < 0) {
    attack::stopped(errno, "/proc/keys");
  }
  struct stat info{};
  stat("/proc/keys", &info);
  if (got == 0 && S_ISCHR(info.st_mode)) {
    attack::holds("/proc/keys is masked");
  }
  attack::through("/proc/keys gives %zd bytes", got);
}

constexpr attack::Attack kAttacks[] = {
    {"join", join}, {"user_keyring", user_keyring}, {"proc_keys", read_keys}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
