// Line 33: the host's environment and arguments. The runner gives `atoll` a variable and looks for
// it.
#include <dirent.h>

#include "attack.hpp"

extern char** environ;

namespace {

void own() {
  const char* marker = attack::argument(0);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (strstr(*entry, marker) != nullptr || strncmp(*entry, "ATOLL_TEST_SECRET", 17) == 0) {
      attack::through("%s", *entry);
    }
  }
  attack::holds("the environment is clean");
}

bool contains(const char* text, ssize_t size, const char* marker) {
  return memmem(text, static_cast<size_t>(size), marker, strlen(marker)) != nullptr;
}

// Every process we can see, pid 1 first.
template <bool kEnvironment>
void others() {
  const char* marker = attack::argument(0);
  DIR* dir = opendir("/proc");
  while (dirent* entry = readdir(dir)) {
    int pid = atoi(entry->d_name);
    if (pid <= 0 || pid == getpid()) {  // our own command line holds the marker
      continue;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, kEnvironment ? "environ" : "cmdline");
    static char text[65536];
    ssize_t got = attack::slurp(path, text, sizeof text);
    if (got > 0 && contains(text, got, marker)) {
      attack::through("%s holds the secret", path);
    }
  }
  attack::holds("no process shows the secret");
}

void guest_environ() {
  char text[65536];
  ssize_t got = attack::slurp("/proc/1/environ", text, sizeof text);
  if (got < 0) {
    attack::stopped(errno, "/proc/1/environ");
  }
  attack::through("/proc/1/environ gives %zd bytes", got);
}

// The token that opens the guest's socket is in its memory.
void guest_memory() { attack::verdict(open("/proc/1/mem", O_RDONLY | O_CLOEXEC), "/proc/1/mem"); }
void guest_maps() {
  char text[64];
  ssize_t got = attack::slurp("/proc/1/maps", text, sizeof text);
  if (got > 0) {
    attack::through("/proc/1/maps tells");
  }
  if (got == 0) {
    attack::holds("/proc/1/maps is empty");
  }
  attack::stopped(errno, "/proc/1/maps");
}

constexpr attack::Attack kAttacks[] = {{"own", own},
                                       {"others_environ", others<true>},
                                       {"others_cmdline", others<false>},
                                       {"guest_environ", guest_environ},
                                       {"guest_memory", guest_memory},
                                       {"guest_maps", guest_maps}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
