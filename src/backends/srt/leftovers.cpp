#include "backends/srt/leftovers.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/unique_fd.hpp"

namespace atl::backends::srt {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kLook{10};

bool carries(const fs::path& process, const std::string& entry) {
  std::ifstream file(process / "environ", std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string_view text(all);
  while (!text.empty()) {
    std::string_view one = text.substr(0, text.find('\0'));
    if (one == entry) return true;
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
  return false;
}

// False: some are left. Seen twice: a process that is just turning into another program has no
// environment for a moment.
bool wait_for_end(const std::string& folder, std::chrono::milliseconds time, int signal) {
  auto until = std::chrono::steady_clock::now() + time;
  for (bool none_before = false;;) {
    std::vector<pid_t> left = processes_of(folder);
    if (left.empty() && none_before) return true;
    none_before = left.empty();
    if (!none_before && std::chrono::steady_clock::now() >= until) return false;
    for (pid_t pid : left) {
      if (signal != 0) ::kill(pid, signal);
    }
    std::this_thread::sleep_for(kLook);
  }
}

UniqueFd open_folder(int parent, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd folder(::openat(parent, name, kFlags));
  if (!folder && errno == EACCES) {
    // The owner may close a folder to himself. What runs here is gone, so it is the same folder.
    ::fchmodat(parent, name, 0700, 0);
    folder.reset(::openat(parent, name, kFlags));
  }
  if (folder) ::fchmod(folder.get(), 0700);
  return folder;
}

// Removes what it can of a folder up to the first one in it that is not empty, which it opens.
// False: something cannot be removed.
bool remove_shallow(const UniqueFd& folder, UniqueFd& deeper) {
  UniqueFd listing_fd(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* listing = listing_fd ? ::fdopendir(listing_fd.get()) : nullptr;
  if (listing == nullptr) return false;
  (void)listing_fd.release();  // closedir closes it
  bool good = true;
  while (const dirent* entry = good && !deeper ? ::readdir(listing) : nullptr) {
    std::string_view name = entry->d_name;
    if (name == "." || name == ".." || ::unlinkat(folder.get(), entry->d_name, 0) == 0) continue;
    if (::unlinkat(folder.get(), entry->d_name, AT_REMOVEDIR) == 0) continue;
    deeper = open_folder(folder.get(), entry->d_name);
    good = static_cast<bool>(deeper);
  }
  ::closedir(listing);
  return good;
}

// Without recursion, and with one descriptor: whoever was in there could make folders in folders as
// long as he liked. Nobody is there any more who could move them about.
bool remove_content(UniqueFd folder) {
  for (std::size_t depth = 0;;) {
    UniqueFd deeper;
    if (!remove_shallow(folder, deeper)) return false;
    if (!deeper && depth == 0) return true;
    depth = deeper ? depth + 1 : depth - 1;
    folder = deeper ? std::move(deeper) : open_folder(folder.get(), "..");
    if (!folder) return false;
  }
}

bool remove_entry(int parent, const char* name) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return true;
  if (errno != EISDIR && errno != EPERM) return false;
  UniqueFd folder = open_folder(parent, name);
  return folder && remove_content(std::move(folder)) && ::unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

}  // namespace

std::vector<pid_t> processes_of(const std::string& folder) {
  std::vector<pid_t> found;
  std::string entry = std::string(kMarker) + "=" + folder;
  std::error_code failed;
  for (const auto& process : fs::directory_iterator("/proc", failed)) {
    pid_t pid = std::atoi(process.path().filename().c_str());
    if (pid > 0 && pid != ::getpid() && carries(process.path(), entry)) found.push_back(pid);
  }
  return found;
}

Result<void> end_processes(const std::string& folder, std::chrono::milliseconds grace) {
  if (wait_for_end(folder, grace, 0) || wait_for_end(folder, kPatience, SIGKILL)) return {};
  return fail(Code::kBackend, "processes of the sandbox do not end");
}

Result<void> remove_tree(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return {};
  if (remove_entry(AT_FDCWD, path.c_str())) return {};
  return fail_errno("removing the sandbox's folder");
}

void remove_ghosts(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0) continue;
    if (S_ISREG(info.st_mode) && info.st_size == 0) ::unlink(path.c_str());
    if (S_ISDIR(info.st_mode)) ::rmdir(path.c_str());  // only when it is empty
  }
}

}  // namespace atl::backends::srt
