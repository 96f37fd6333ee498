// Line 18: leaving the cgroup, or seeing where it is on the host.
#include <dirent.h>
#include <sys/mount.h>

#include "attack.hpp"

namespace {

// Paths must be seen from the sandbox's own root: "/", or relative to it; never the host's name.
void path() {
  char table[8192];
  if (attack::slurp("/proc/self/cgroup", table, sizeof table) < 0) {
    attack::broken("/proc/self/cgroup");
  }
  char* rest = nullptr;
  for (char* line = strtok_r(table, "\n", &rest); line != nullptr;
       line = strtok_r(nullptr, "\n", &rest)) {
    const char* where = strrchr(line, ':');
    if (where == nullptr) {
      continue;
    }
    ++where;
    bool fine =
        strcmp(where, "/") == 0 || strcmp(where, "/user") == 0 || strncmp(where, "/..", 3) == 0;
    if (!fine || strstr(where, "atoll") != nullptr) {
      attack::through("%s", line);
    }
  }
  attack::holds("cgroup paths start at the sandbox");
}

// A file of a cgroup that we could write ourselves into: none is mounted, so mount one and try to
// move to its root.
void escape() {
  attack::become_namespace_root(CLONE_NEWNS | CLONE_NEWCGROUP);
  mkdir("/tmp/cg", 0700);
  // Whichever version the host has: only that one can be mounted from a namespace.
  if (mount("none", "/tmp/cg", "cgroup", 0, "pids") != 0 &&
      mount("none", "/tmp/cg", "cgroup2", 0, nullptr) != 0) {
    attack::stopped(errno, "mount cgroup");
  }
  attack::through("the cgroup hierarchy is mounted");
}

// Writable files called tasks, cgroup.procs or release_agent anywhere.
int g_files = 0;
void walk(const char* folder, int depth) {
  DIR* dir = opendir(folder);
  if (dir == nullptr) {
    return;
  }
  while (dirent* entry = readdir(dir)) {
    if (entry->d_name[0] == '.') {
      continue;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, entry->d_name);
    for (const char* name : {"cgroup.procs", "tasks", "release_agent", "notify_on_release",
                             "cgroup.subtree_control"}) {
      if (strcmp(entry->d_name, name) == 0) {
        ++g_files;
        if (access(path, W_OK) == 0) {
          attack::through("%s is writable", path);
        }
      }
    }
    if (entry->d_type == DT_DIR && depth < 10 && strcmp(path, "/proc") != 0) {
      walk(path, depth + 1);
    }
  }
  closedir(dir);
}
void search() {
  walk("/", 0);
  attack::holds("%d cgroup files, none writable", g_files);
}

constexpr attack::Attack kAttacks[] = {{"path", path}, {"escape", escape}, {"search", search}};

}  // namespace

int main(int argc, char** argv) { return attack::choose(argc, argv, kAttacks); }
