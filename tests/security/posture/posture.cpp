// Prints everything that can be observed of a process's standing in a sandbox, one JSON object a
// line:
// {"key": …, "value": …}. posture_test.py compares it with expected_posture.json.
#include <dirent.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <initializer_list>

extern char** environ;

namespace {

void text(const char* s) {
  putchar('"');
  for (; *s != 0; ++s) {
    auto c = static_cast<unsigned char>(*s);
    if (c == '"' || c == '\\') {
      printf("\\%c", c);
    } else if (c < 0x20 || c >= 0x7f) {
      printf("\\u%04x", c);
    } else {
      putchar(c);
    }
  }
  putchar('"');
}

void entry(const char* key, const char* value) {
  printf("{\"key\": ");
  text(key);
  printf(", \"value\": ");
  text(value);
  printf("}\n");
}

__attribute__((format(printf, 2, 3))) void entry_format(const char* key, const char* format, ...) {
  char value[512];
  __builtin_va_list list;
  __builtin_va_start(list, format);
  vsnprintf(value, sizeof value, format, list);
  __builtin_va_end(list);
  entry(key, value);
}

void file_lines(const char* key, const char* path) {
  FILE* file = fopen(path, "re");
  if (file == nullptr) {
    entry(key, "(missing)");
    return;
  }
  char line[4096];
  while (fgets(line, sizeof line, file) != nullptr) {
    line[strcspn(line, "\n")] = 0;
    entry(key, line);
  }
  fclose(file);
}

void identity() {
  uid_t r = 0;
  uid_t e = 0;
  uid_t s = 0;
  getresuid(&r, &e, &s);
  entry_format("uid", "%u %u %u", r, e, s);
  getresgid(&r, &e, &s);
  entry_format("gid", "%u %u %u", r, e, s);
  gid_t groups[64];
  int count = getgroups(64, groups);
  char list[512] = {};
  for (int i = 0; i < count; ++i) {
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u", i > 0 ? " " : "", groups[i]);
  }
  entry("groups", list);
  mode_t mask = umask(0);
  umask(mask);
  entry_format("umask", "%04o", mask);
  entry_format("session_leader", "%s", getsid(0) == getpid() ? "yes" : "no");
  entry_format("group_leader", "%s", getpgrp() == getpid() ? "yes" : "no");
  entry_format("parent", "%d", getppid());
  file_lines("uid_map", "/proc/self/uid_map");
  file_lines("gid_map", "/proc/self/gid_map");
  file_lines("setgroups", "/proc/self/setgroups");
}

// The fields of /proc/self/status that are about rights.
void rights() {
  FILE* file = fopen("/proc/self/status", "re");
  char line[512];
  while (file != nullptr && fgets(line, sizeof line, file) != nullptr) {
    line[strcspn(line, "\n")] = 0;
    for (const char* name :
         {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp",
          "Seccomp_filters", "Threads", "SigBlk", "SigIgn", "NSpid"}) {
      size_t size = strlen(name);
      if (strncmp(line, name, size) == 0 && line[size] == ':') {
        entry(name, line + size + 1 + strspn(line + size + 1, "\t "));
      }
    }
  }
  if (file != nullptr) {
    fclose(file);
  }
  entry_format("securebits", "%x", prctl(PR_GET_SECUREBITS, 0, 0, 0, 0));
  entry_format("dumpable", "%d", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
  entry_format("keepcaps", "%d", prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0));
  entry_format("parent_death_signal", "%d", [] {
    int number = 0;
    prctl(PR_GET_PDEATHSIG, &number, 0, 0, 0);
    return number;
  }());
  entry_format("nice", "%d", getpriority(PRIO_PROCESS, 0));
  file_lines("oom_score_adj", "/proc/self/oom_score_adj");
}

void namespaces() {
  for (const char* name : {"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"}) {
    char path[64];
    char target[128] = {};
    snprintf(path, sizeof path, "/proc/self/ns/%s", name);
    (void)!readlink(path, target, sizeof target - 1);
    char key[64];
    snprintf(key, sizeof key, "ns_%s", name);
    entry(key, target);
  }
  utsname names{};
  uname(&names);
  entry("hostname", names.nodename);
  entry("domainname", names.domainname);
}

// Target, type and options of each mount, in order.
void mounts() {
  FILE* file = fopen("/proc/self/mountinfo", "re");
  char line[4096];
  while (file != nullptr && fgets(line, sizeof line, file) != nullptr) {
    line[strcspn(line, "\n")] = 0;
    char root[1024] = {};
    char target[1024] = {};
    char options[1024] = {};
    sscanf(line, "%*s %*s %*s %1023s %1023s %1023s", root, target, options);
    const char* dash = strstr(line, " - ");
    char type[64] = {};
    char source[1024] = {};
    char super[1024] = {};
    if (dash != nullptr) {
      sscanf(dash, " - %63s %1023s %1023s", type, source, super);
    }
    bool shared = strstr(line, " shared:") != nullptr || strstr(line, " master:") != nullptr;
    entry_format("mount", "%s %s %s%s", target, type, options, shared ? " SHARED" : "");
  }
  if (file != nullptr) {
    fclose(file);
  }
}

void descriptors() {
  DIR* dir = opendir("/proc/self/fd");
  while (dirent* item = readdir(dir)) {
    int fd = atoi(item->d_name);
    if (item->d_name[0] == '.' || fd == dirfd(dir)) {
      continue;
    }
    struct stat info{};
    fstat(fd, &info);
    const char* kind = S_ISFIFO(info.st_mode)   ? "pipe"
                       : S_ISCHR(info.st_mode)  ? "device"
                       : S_ISSOCK(info.st_mode) ? "socket"
                       : S_ISREG(info.st_mode)  ? "file"
                                                : "other";
    entry_format("fd", "%d %s", fd, kind);
  }
  closedir(dir);
  char path[PATH_MAX] = {};
  syscall(SYS_getcwd, path, sizeof path);
  entry("cwd", path);
  char root[PATH_MAX] = {};
  (void)!readlink("/proc/self/root", root, sizeof root - 1);
  entry("root", root);
}

void limits() {
  constexpr const char* kNames[] = {"cpu",      "fsize",  "data",    "stack", "core",  "rss",
                                    "nproc",    "nofile", "memlock", "as",    "locks", "sigpending",
                                    "msgqueue", "nice",   "rtprio",  "rttime"};
  for (int i = 0; i < 16; ++i) {
    rlimit limit{};
    getrlimit(static_cast<__rlimit_resource_t>(i), &limit);
    char key[32];
    snprintf(key, sizeof key, "limit_%s", kNames[i]);
    char both[2][32];
    rlim_t values[] = {limit.rlim_cur, limit.rlim_max};
    for (int j = 0; j < 2; ++j) {
      if (values[j] == RLIM_INFINITY) {
        snprintf(both[j], sizeof both[j], "infinite");
      } else {
        snprintf(both[j], sizeof both[j], "%llu", static_cast<unsigned long long>(values[j]));
      }
    }
    entry_format(key, "%s %s", both[0], both[1]);
  }
}

void surroundings() {
  file_lines("cgroup", "/proc/self/cgroup");
  for (char** variable = environ; *variable != nullptr; ++variable) {
    entry("env", *variable);
  }
  DIR* dir = opendir("/");
  while (dirent* item = readdir(dir)) {
    if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) {
      entry("root_entry", item->d_name);
    }
  }
  closedir(dir);
  dir = opendir("/etc");
  while (dirent* item = readdir(dir)) {
    if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) {
      entry("etc_entry", item->d_name);
    }
  }
  closedir(dir);
  dir = opendir("/dev");
  while (dirent* item = readdir(dir)) {
    if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) {
      entry("dev_entry", item->d_name);
    }
  }
  closedir(dir);
}

}  // namespace

int main() {
  identity();
  rights();
  namespaces();
  mounts();
  descriptors();
  limits();
  surroundings();
  return 0;
}
