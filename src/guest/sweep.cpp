#include "guest/sweep.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>

#include "base/unique_fd.hpp"
#include "confine/execution_mark.hpp"

namespace atl::guest {
namespace {

// A process that was born behind the reader of /proc, whose parent died ahead of it, is in nobody's
// list: it needs a pid below its parent's, and to do so once for each of these.
constexpr int kCleanPasses = 2;
constexpr int kMaxPasses = 1000;

std::uint64_t read_mark(int proc, const char* pid) {
  char path[32];
  char text[4096];
  ::snprintf(path, sizeof path, "%s/limits", pid);
  UniqueFd file(::openat(proc, path, O_RDONLY | O_CLOEXEC));
  ssize_t size = file ? ::read(file.get(), text, sizeof text - 1) : 0;
  text[size > 0 ? size : 0] = '\0';
  constexpr char kName[] = "Max file locks";
  const char* line = ::strstr(text, kName);
  return line == nullptr ? 0 : ::strtoull(line + sizeof kName - 1, nullptr, 10);
}

// Whether there was one that is not in `killed` yet.
bool pass(std::uint64_t mark, std::set<pid_t>& killed) {
  std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  bool found = false;
  while (dirent* entry = proc ? ::readdir(proc.get()) : nullptr) {
    pid_t pid = ::atoi(entry->d_name);
    if (pid <= 1 || pid == ::getpid()) continue;
    if (read_mark(::dirfd(proc.get()), entry->d_name) != mark) continue;
    ::kill(pid, SIGKILL);
    found |= killed.insert(pid).second;
  }
  return found;
}

}  // namespace

std::uint64_t mark_of(pid_t pid) {
  UniqueFd proc(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::uint64_t mark = read_mark(proc.get(), std::to_string(pid).c_str());
  return confine::is_mark_of(mark, pid) ? mark : 0;
}

void kill_marked(std::uint64_t mark) {
  std::set<pid_t> killed;
  for (int passes = 0, clean = 0; clean < kCleanPasses && passes < kMaxPasses; ++passes) {
    clean = pass(mark, killed) ? 0 : clean + 1;
  }
}

}  // namespace atl::guest
