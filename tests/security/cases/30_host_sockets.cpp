// Line 30: Unix sockets of the host anywhere in the tree, by walking it and by name.
#include <dirent.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.hpp"

namespace {

unsigned long g_seen = 0;
void walk_folder(const char* folder, int depth) {
  DIR* dir = opendir(folder);
  if (dir == nullptr) {
    return;
  }
  while (dirent* entry = readdir(dir)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
      continue;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, entry->d_name);
    ++g_seen;
    struct stat info{};
    if (lstat(path, &info) != 0) {
      continue;
    }
    if (S_ISSOCK(info.st_mode)) {
      attack::through("%s is a socket", path);
    }
    if (S_ISDIR(info.st_mode) && depth < 30 && strcmp(path, "/proc") != 0) {
      walk_folder(path, depth + 1);
    }
  }
  closedir(dir);
}
void walk() {
  walk_folder("/", 0);
  attack::holds("%lu names, no socket", g_seen);
}

void known() {
  for (const char* path :
       {"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock",
        "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/notify",
        "/run/podman/podman.sock", "/run/crio/crio.sock", "/dev/log", "/run/user/0/bus",
        "/var/run/postgresql/.s.PGSQL.5432", "/tmp/.X11-unix/X0", "/run/snapd.socket"}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ||
        errno != ENOENT) {
      attack::through("%s is there: %s", path, strerrorname_np(errno));
    }
    close(fd);
  }
  attack::holds("no known socket is there");
}

// Secrets of the host that a read-only view must leave out.
void secrets() {
  for (const char* path : {"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/root", "/home",
                           "/etc/ssh/ssh_host_rsa_key", "/etc/ssl/private", "/etc/machine-id",
                           "/etc/hostname", "/etc/fstab", "/boot", "/var/lib", "/var/log", "/work",
                           "/srv", "/mnt", "/media", "/etc/environment", "/etc/passwd-"}) {
    DIR* dir = opendir(path);
    if (dir != nullptr) {
      while (dirent* entry = readdir(dir)) {
        if (entry->d_name[0] != '.' || entry->d_name[1] == 's') {
          attack::through("%s shows %s", path, entry->d_name);
        }
      }
      closedir(dir);
      continue;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[256] = {};
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0 && strcmp(path, "/etc/hostname") != 0) {
      attack::through("%s can be read", path);
    }
  }
  attack::holds("no secret of the host is there");
}

constexpr attack::Attack kAttacks[] = {{"walk", walk}, {"known", known}, {"secrets", secrets}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
