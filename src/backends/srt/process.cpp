#include "backends/srt/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "backends/srt/leftovers.hpp"
#include "base/spawn_setup.hpp"

namespace atl::backends::srt {
namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (char c : word) {
    c == '\'' ? text += "'\\''" : text += c;
  }
  return text + "'";
}

// The guest with the limits that a process can have without a cgroup; each program inherits them.
std::string inner_command(const Command& command) {
  std::string text;
  if (command.open_files != 0) {
    text += "ulimit -n " + std::to_string(command.open_files) + " && ";
  }
  if (command.data_bytes != 0) {
    text += "ulimit -d " + std::to_string(command.data_bytes / 1024) + " && ";
  }
  return text + "exec " + quoted(command.guest) + " --stdio";
}

std::vector<std::string> environment(const Folder& folder) {
  std::vector<std::string> all{
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "LANG=C.UTF-8",
      "HOME=" + folder.run,
      "TMPDIR=" + folder.run,                // srt's own
      "CLAUDE_CODE_TMPDIR=" + folder.tmp(),  // what is TMPDIR inside
      std::string(kMarker) + "=" + folder.path,
  };
  // srt goes through the host's proxy where it has one, and says so to nobody inside.
  for (const char* name :
       {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}) {
    if (const char* value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& text : strings) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// Node ends what it says of a crash with its version: "Node.js v18.19.0".
std::string old_node(const std::string& line) {
  int major = 0;
  int minor = 0;
  bool read = std::sscanf(line.c_str(), "Node.js v%d.%d", &major, &minor) == 2;
  bool young = major > kNodeMajor || (major == kNodeMajor && minor >= kNodeMinor);
  if (!read || young) return {};
  return "it needs Node " + std::to_string(kNodeMajor) + "." + std::to_string(kNodeMinor) +
         " and was given " + line.substr(9) + "; `atoll backends install srt` fetches one";
}

}  // namespace

Result<Started> start_srt(const Command& command) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno("socketpair");
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  std::string log = command.folder.log();
  std::string workspace = command.folder.workspace();

  SpawnSetup setup;
  ::posix_spawn_file_actions_adddup2(&setup.actions, theirs.get(), 0);
  ::posix_spawn_file_actions_adddup2(&setup.actions, theirs.get(), 1);
  ::posix_spawn_file_actions_addopen(&setup.actions, 2, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
  ::posix_spawn_file_actions_addclosefrom_np(&setup.actions, 3);
  ::posix_spawn_file_actions_addchdir_np(&setup.actions, workspace.c_str());
  sigset_t signals;
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&setup.attributes, &signals);
  ::sigaddset(&signals, SIGPIPE);  // the server ignores it
  ::posix_spawnattr_setsigdefault(&setup.attributes, &signals);
  ::posix_spawnattr_setflags(&setup.attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> words{
      command.package.node,  command.package.program, "--settings", command.folder.settings(), "-c",
      inner_command(command)};
  std::vector<std::string> variables = environment(command.folder);
  std::vector<char*> argv = pointers(words);
  std::vector<char*> env = pointers(variables);
  pid_t pid = 0;
  int error =
      ::posix_spawn(&pid, argv[0], &setup.actions, &setup.attributes, argv.data(), env.data());
  if (error != 0) return fail_errno("starting srt", error);
  ATOLL_TRY(Child child, Child::own(pid));
  return Started{.child = std::move(child), .pid = pid, .stream = std::move(ours)};
}

std::string last_words(const std::string& log) {
  constexpr std::size_t kMost = 300;
  constexpr std::string_view kError = "Error: ";
  std::ifstream file(log);
  std::string line;
  std::string said;
  bool is_error = false;
  // The first line with an error ("TypeError: …" too), or else the last one at all.
  while (std::getline(file, line)) {
    if (std::string old = old_node(line); !old.empty()) return old;
    if (line.empty() || is_error) continue;
    is_error = line.find(kError) + kError.size() == line.find(' ') + 1;
    said = line.starts_with(kError) ? line.substr(kError.size()) : line;
  }
  if (said.empty()) return "it said nothing";
  return said.substr(0, kMost);
}

}  // namespace atl::backends::srt
