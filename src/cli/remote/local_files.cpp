#include "cli/remote/local_files.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/ids.hpp"
#include "base/safe_names.hpp"
#include "base/write_all.hpp"

namespace atl::cli {
namespace {

std::unexpected<Error> cannot(const char* what, const std::string& path, int error = errno) {
  return fail(Error(code_from_errno(error),
                    std::string("cannot ") + what + " " + path + ": " + std::strerror(error),
                    error));
}

// Hidden, and beside the target: a rename stays on one file system.
std::string temporary_for(const std::string& path) {
  std::size_t slash = path.rfind('/') + 1;
  return path.substr(0, slash) + "." + path.substr(slash).substr(0, 100) + ".atoll-" +
         make_sortable_id();
}

Result<void> write_to(const UniqueFd& fd, std::string_view bytes, const std::string& path) {
  if (!write_all(fd.get(), bytes)) return cannot("write", path);
  return {};
}

}  // namespace

Result<NewFile> NewFile::create(const std::string& path, std::uint32_t mode) {
  std::string temporary = temporary_for(path);
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd) return cannot("write", path);
  return NewFile(path, std::move(temporary), std::move(fd));
}

NewFile::~NewFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> NewFile::write(std::string_view bytes) { return write_to(fd_, bytes, path_); }

Result<void> NewFile::commit() {
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot("write", path_);
  temporary_.clear();
  return {};
}

Result<NewTree> NewTree::create(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0) {
    return fail(Code::kAlreadyExists, path + " exists already; remove it, or name another target");
  }
  std::string temporary = temporary_for(path);
  if (::mkdir(temporary.c_str(), 0700) != 0) return cannot("make", path);
  UniqueFd root(::open(temporary.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  NewTree tree(path, std::move(temporary), std::move(root));
  if (!tree.root_) return cannot("open", path);
  return tree;
}

NewTree::NewTree(NewTree&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      root_(std::move(other.root_)),
      file_(std::move(other.file_)),
      links_(std::move(other.links_)),
      folders_(std::move(other.folders_)),
      left_out_(other.left_out_) {}

NewTree::~NewTree() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);
}

Result<void> NewTree::make_parents(const std::string& name) {
  if (!is_safe_name(name)) {
    return fail(Code::kProtocol, "a name in the folder leads out of it: " + name.substr(0, 200));
  }
  for (std::size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1)) {
    std::string parent = name.substr(0, at);
    if (::mkdirat(root_.get(), parent.c_str(), 0755) != 0 && errno != EEXIST) {
      return cannot("make", path_ + "/" + parent);
    }
  }
  return {};
}

Result<void> NewTree::add_folder(const std::string& name, std::uint32_t mode) {
  ATOLL_CHECK(make_parents(name + "/x"));
  folders_.emplace_back(name, mode);
  return {};
}

Result<void> NewTree::begin_file(const std::string& name, std::uint32_t mode) {
  ATOLL_CHECK(make_parents(name));
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  file_ = UniqueFd(::openat(root_.get(), name.c_str(), kFlags, mode & 0777));
  if (!file_) return cannot("write", path_ + "/" + name);
  return {};
}

Result<void> NewTree::write(std::string_view bytes) { return write_to(file_, bytes, path_); }

void NewTree::add_link(std::string name, std::string target) {
  if (is_safe_name(name) && is_safe_link(name, target)) {
    links_.emplace_back(std::move(name), std::move(target));
  } else {
    ++left_out_;
  }
}

// Its folder must be a real one: what is above it counts.
Result<void> NewTree::make_link(const std::string& name, const std::string& target) {
  std::size_t slash = name.rfind('/');
  std::string folder = slash == name.npos ? "." : name.substr(0, slash);
  if (slash != name.npos) ATOLL_CHECK(make_parents(name));
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  UniqueFd in(
      static_cast<int>(::syscall(SYS_openat2, root_.get(), folder.c_str(), &how, sizeof how)));
  std::string last = name.substr(slash == name.npos ? 0 : slash + 1);
  if (!in || ::symlinkat(target.c_str(), in.get(), last.c_str()) != 0) {
    return cannot("make", path_ + "/" + name);
  }
  return {};
}

Result<void> NewTree::commit() {
  file_ = UniqueFd();
  for (const auto& [name, target] : links_) ATOLL_CHECK(make_link(name, target));
  // From the innermost: a folder that may not be entered hides those below.
  std::ranges::sort(folders_, std::ranges::greater());
  for (const auto& [name, mode] : folders_) {
    if (::fchmodat(root_.get(), name.c_str(), (mode & 0777) | 0700, 0) != 0) {
      return cannot("make", path_ + "/" + name);
    }
  }
  ::fchmod(root_.get(), 0755);
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
    return cannot("make", path_);
  }
  temporary_.clear();
  return {};
}

}  // namespace atl::cli
