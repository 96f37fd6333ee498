#include "backends/docker/place.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/unique_fd.hpp"
#include "base/write_all.hpp"

namespace atl::backends::docker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHiddenFolder = "/hidden.d";

// Created anew, whatever the umask says.
Result<void> write_file(const std::string& path, mode_t mode, std::string_view bytes) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return fail_errno("creating a file of the sandbox");
  if (!write_all(file.get(), bytes)) return fail_errno("writing a file of the sandbox");
  if (::fchmod(file.get(), mode) != 0) return fail_errno("chmod");
  return {};
}

}  // namespace

Result<guest::Token> Places::make(const SandboxId& id) const {
  ATOLL_TRY(guest::Token token, tokens_.make(id));
  std::string mine = folder(id);
  if (::mkdir(mine.c_str(), 0700) != 0) return fail_errno("making a folder");
  // The guest reads this one and removes it.
  std::string_view bytes(reinterpret_cast<const char*>(token.data()), token.size());
  ATOLL_CHECK(write_file(mine + "/token", 0644, bytes));
  if (::chmod(mine.c_str(), 0733) != 0) return fail_errno("chmod");
  return token;
}

Result<void> Places::close_folder(const SandboxId& id) const {
  if (::chmod(folder(id).c_str(), 0700) != 0) return fail_errno("chmod");
  return {};
}

Result<std::string> Places::hidden_file() const {
  std::string path = root_ + "/hidden";
  if (::access(path.c_str(), F_OK) == 0) return path;
  ATOLL_CHECK(write_file(path, 0, ""));
  return path;
}

Result<std::string> Places::hidden_folder() const {
  std::string path = root_ + kHiddenFolder;
  if (::mkdir(path.c_str(), 0) != 0 && errno != EEXIST) return fail_errno("making a folder");
  return path;
}

// By the name of the folder's descriptor: a socket's path has room for 107 bytes.
Result<NetworkPlace> Places::make_network(const SandboxId& id) const {
  remove_network(id);  // of a process that was killed
  NetworkPlace place{.folder = network_folder(id), .listener = {}};
  if (::mkdir(place.folder.c_str(), 0700) != 0) return fail_errno("making a folder");
  UniqueFd folder(::open(place.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail_errno("opening a folder");
  std::string path = "/proc/self/fd/" + std::to_string(folder.get()) + "/net.sock";
  sockaddr_un own{.sun_family = AF_UNIX, .sun_path = {}};
  std::memcpy(own.sun_path, path.c_str(), path.size() + 1);
  place.listener.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!place.listener ||
      ::bind(place.listener.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0 ||
      ::listen(place.listener.get(), 1) != 0) {
    return fail_errno("making a socket");
  }
  // Root of the container has no power over other users' files; others do not get to the folder.
  if (::chmod(path.c_str(), 0666) != 0 || ::chmod(place.folder.c_str(), 0711) != 0) {
    return fail_errno("chmod");
  }
  return place;
}

void Places::remove_network(const SandboxId& id) const {
  std::error_code ignored;
  fs::remove_all(network_folder(id), ignored);
}

Result<void> Places::note_opened(const SandboxId& id) const {
  if (was_opened(id)) return {};
  return write_file(note(id), 0600, "");
}

bool Places::was_opened(const SandboxId& id) const { return ::access(note(id).c_str(), F_OK) == 0; }

void Places::remove(const SandboxId& id) const {
  std::error_code ignored;
  remove_network(id);
  fs::remove_all(folder(id), ignored);
  tokens_.forget(id);
}

void Places::remove_root() const {
  std::error_code ignored;
  ::rmdir((root_ + kHiddenFolder).c_str());  // which not even its owner may look into
  fs::remove_all(root_, ignored);
}

}  // namespace atl::backends::docker
