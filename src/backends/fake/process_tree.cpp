#include "backends/fake/process_tree.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace atl::backends::fake {

namespace {

namespace fs = std::filesystem;

void add_children(pid_t pid, std::vector<pid_t>& list) {
  std::error_code ignored;
  fs::path tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : fs::directory_iterator(tasks, ignored)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) {
      list.push_back(child);
      add_children(child, list);
    }
  }
}

// A dead process stays below its parent until it is reaped; only living ones count.
bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  auto name_end = line.rfind(')');
  return name_end != std::string::npos && name_end + 2 < line.size() && line[name_end + 2] != 'Z' &&
         line[name_end + 2] != 'X';
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t pid) {
  std::vector<pid_t> all;
  add_children(pid, all);
  std::erase_if(all, [](pid_t one) { return !is_alive(one); });
  return all;
}

void end_tree(pid_t pid, Child& process) {
  static_cast<void>(process.kill(SIGSTOP));
  for (std::vector<pid_t> left = descendants_of(pid); !left.empty(); left = descendants_of(pid)) {
    for (pid_t one : left) ::kill(one, SIGKILL);
    ::sched_yield();
  }
  static_cast<void>(process.kill(SIGKILL));
  static_cast<void>(process.reap());
}

}  // namespace atl::backends::fake
