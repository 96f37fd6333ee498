#include "backends/docker/place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

void Places::remove(const SandboxId& id) const {
  std::error_code ignored;
  fs::remove_all(folder(id), ignored);
  tokens_.forget(id);
}

void Places::remove_root() const {
  std::error_code ignored;
  ::rmdir((root_ + kHiddenFolder).c_str());  // which not even its owner may look into
  fs::remove_all(root_, ignored);
}

}  // namespace atl::backends::docker
