// Line 26: state that two sandboxes share. `leave KIND MARKER` puts something, says "ready" and
// waits for its stdin to end; `find KIND MARKER` in another sandbox looks for it.
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.hpp"

namespace {

key_t key_of(const char* marker) {
  unsigned hash = 5381;
  for (const char* c = marker; *c != 0; ++c) {
    hash = hash * 33 + static_cast<unsigned char>(*c);
  }
  return static_cast<key_t>(hash & 0x7fffffff);
}

void file_name(char* out, size_t size, const char* kind, const char* marker) {
  const char* folder = strcmp(kind, "tmp") == 0   ? "/tmp"
                       : strcmp(kind, "shm") == 0 ? "/dev/shm"
                                                  : "/workspace";
  snprintf(out, size, "%s/%s", folder, marker);
}

socklen_t abstract(sockaddr_un& address, const char* marker) {
  address.sun_family = AF_UNIX;
  address.sun_path[0] = 0;
  strncpy(address.sun_path + 1, marker, sizeof address.sun_path - 2);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + strlen(marker));
}

bool is_file(const char* kind) {
  return strcmp(kind, "tmp") == 0 || strcmp(kind, "shm") == 0 || strcmp(kind, "workspace") == 0;
}

void leave() {
  const char* kind = attack::argument(0);
  const char* marker = attack::argument(1);
  long result = -1;
  char path[256];
  if (is_file(kind)) {
    file_name(path, sizeof path, kind, marker);
    result = open(path, O_CREAT | O_WRONLY, 0666);
  } else if (strcmp(kind, "sysv_shm") == 0) {
    result = shmget(key_of(marker), 4096, IPC_CREAT | 0666);
  } else if (strcmp(kind, "sysv_msg") == 0) {
    result = msgget(key_of(marker), IPC_CREAT | 0666);
  } else if (strcmp(kind, "sysv_sem") == 0) {
    result = semget(key_of(marker), 1, IPC_CREAT | 0666);
  } else if (strcmp(kind, "mqueue") == 0) {
    snprintf(path, sizeof path, "/%s", marker);
    umask(0);
    result = mq_open(path, O_CREAT | O_RDWR, 0666, nullptr);
  } else if (strcmp(kind, "abstract") == 0) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    socklen_t size = abstract(address, marker);
    result = bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 ? listen(fd, 1) : -1;
  } else if (strcmp(kind, "flock") == 0) {
    result = flock(open("/proc/self/exe", O_RDONLY), LOCK_EX | LOCK_NB);
  }
  if (result < 0) {
    attack::broken("could not leave %s", kind);
  }
  (void)!write(1, "ready\n", 6);
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  // What has no namespace of its own in the control run would stay on the host.
  if (strcmp(kind, "sysv_shm") == 0) {
    shmctl(static_cast<int>(result), IPC_RMID, nullptr);
  } else if (strcmp(kind, "sysv_msg") == 0) {
    msgctl(static_cast<int>(result), IPC_RMID, nullptr);
  } else if (strcmp(kind, "sysv_sem") == 0) {
    semctl(static_cast<int>(result), 0, IPC_RMID);
  } else if (strcmp(kind, "mqueue") == 0) {
    mq_unlink(path);
  } else if (is_file(kind)) {
    unlink(path);
  }
  attack::holds("left %s and took it back", kind);
}

void find() {
  const char* kind = attack::argument(0);
  const char* marker = attack::argument(1);
  long result = -1;
  char path[256];
  if (is_file(kind)) {
    file_name(path, sizeof path, kind, marker);
    result = open(path, O_RDONLY | O_CLOEXEC);
  } else if (strcmp(kind, "sysv_shm") == 0) {
    result = shmget(key_of(marker), 0, 0);
  } else if (strcmp(kind, "sysv_msg") == 0) {
    result = msgget(key_of(marker), 0);
  } else if (strcmp(kind, "sysv_sem") == 0) {
    result = semget(key_of(marker), 0, 0);
  } else if (strcmp(kind, "mqueue") == 0) {
    snprintf(path, sizeof path, "/%s", marker);
    result = mq_open(path, O_RDWR);
  } else if (strcmp(kind, "abstract") == 0) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    socklen_t size = abstract(address, marker);
    result = connect(fd, reinterpret_cast<sockaddr*>(&address), size);
  } else if (strcmp(kind, "flock") == 0) {
    // The lock of the other is seen as EWOULDBLOCK: one bit between two sandboxes.
    if (flock(open("/proc/self/exe", O_RDONLY), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      attack::through("the other's lock is seen");
    }
    attack::stopped(errno, "flock");
  }
  attack::verdict(result, kind);
}

constexpr attack::Attack kAttacks[] = {{"leave", leave}, {"find", find}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
