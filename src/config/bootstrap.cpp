#include "config/bootstrap.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "config/checks.hpp"
#include "config/find_file.hpp"

namespace atl::config {
namespace {

constexpr const char* kSkills = "skills";

// Never above `root`, by whatever links; never through /proc's magic ones.
UniqueFd open_beneath(const UniqueFd& root, const std::string& path, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  if ((flags & O_PATH) == 0) how.flags |= O_NONBLOCK | O_NOCTTY;  // a pipe must not hold us up
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long fd = ::syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how);
  return UniqueFd(static_cast<int>(fd));
}

Error io_error(const std::string& path, int error) {
  return Error(code_from_errno(error), "cannot read " + path + ": " + std::strerror(error), error);
}

std::string_view reason(int error) {
  if (error == EXDEV) return "leads out of the folder";
  return error == ELOOP ? "is a link without an end" : "leads nowhere";
}

std::string below(const std::string& folder, const std::string& name) {
  std::string path = folder;
  if (!path.empty()) path += '/';
  return path += name;
}

class Planner {
 public:
  explicit Planner(BootstrapLimits limits) : limits_(limits) {}

  Result<void> open_root(const std::string& path) {
    root_path_ = path;
    root_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root_) return fail(io_error(path, errno));
    return {};
  }

  // What is there: a folder (true), nothing (false). Anything else is an error.
  Result<bool> is_folder(const std::string& path) {
    UniqueFd folder = open_beneath(root_, path, O_PATH | O_DIRECTORY);
    if (folder) return true;
    if (errno == ENOENT) return false;
    if (errno == EXDEV) return fail(Code::kForbidden, path + " leads out of its folder");
    return fail(io_error(path, errno));
  }

  Result<void> add_tree(const std::string& source, const std::string& target,
                        std::size_t depth = 0) {
    if (depth > limits_.depth) {
      return fail(Code::kTooLarge, "folders for new workspaces are nested more than " +
                                       std::to_string(limits_.depth) + " levels deep");
    }
    UniqueFd folder = open_beneath(root_, source.empty() ? "." : source, O_RDONLY | O_DIRECTORY);
    struct stat info{};
    if (!folder || ::fstat(folder.get(), &info) != 0) return fail(io_error(source, errno));
    std::pair<dev_t, ino_t> identity(info.st_dev, info.st_ino);
    if (std::ranges::find(ancestors_, identity) != ancestors_.end()) {
      skip(source, "leads back to a folder around it");
      return {};
    }
    ancestors_.push_back(identity);
    ATOLL_TRY(std::vector<std::string> names, names_in(std::move(folder), source));
    for (const std::string& name : names) {
      ATOLL_CHECK(add(below(source, name), below(target, name), depth));
    }
    ancestors_.pop_back();
    return {};
  }

  // A single file; nothing when it is not there.
  Result<void> add_file(const std::string& path) {
    UniqueFd file = open_beneath(root_, path, O_PATH);
    if (!file && (errno == ENOENT || errno == ENOTDIR)) return {};
    if (!file) return fail_or_skip(path, errno);
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return fail(io_error(path, errno));
    if (S_ISREG(info.st_mode)) return take(path, path, info);
    skip(path, "is not a file");
    return {};
  }

  BootstrapPlan finish() && {
    BootstrapPlan plan{.skipped = std::move(skipped_)};
    for (auto& [target, file] : files_) plan.files.push_back(std::move(file));
    return plan;
  }

 private:
  Result<void> add(const std::string& source, const std::string& target, std::size_t depth) {
    UniqueFd entry = open_beneath(root_, source, O_PATH);
    if (!entry) return fail_or_skip(source, errno);
    struct stat info{};
    if (::fstat(entry.get(), &info) != 0) return fail(io_error(source, errno));
    if (S_ISDIR(info.st_mode)) return add_tree(source, target, depth + 1);
    if (S_ISREG(info.st_mode)) return take(source, target, info);
    skip(source, "is neither a file nor a folder");
    return {};
  }

  Result<void> take(const std::string& source, const std::string& target, const struct stat& info) {
    BootstrapFile& file = files_[target];
    bytes_ -= file.size;
    file = {.root = root_path_,
            .source = source,
            .target = target,
            .size = static_cast<std::uint64_t>(info.st_size),
            .executable = (info.st_mode & S_IXUSR) != 0};
    bytes_ += file.size;
    if (files_.size() > limits_.files || bytes_ > limits_.bytes) {
      return fail(Code::kTooLarge, "more than " + std::to_string(limits_.files) + " files or " +
                                       std::to_string(limits_.bytes) +
                                       " bytes would be copied into every new workspace");
    }
    return {};
  }

  Result<std::vector<std::string>> names_in(UniqueFd folder, const std::string& path) {
    std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(folder.get()), ::closedir);
    if (!stream) return fail(io_error(path, errno));
    (void)folder.release();  // the stream closes it
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(stream.get())) {
      std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
      if (++entries_ > kMaxEntries) {
        return fail(Code::kTooLarge, "the folders for new workspaces hold too many entries");
      }
      errno = 0;
    }
    if (errno != 0) return fail(io_error(path, errno));
    std::ranges::sort(names);
    return names;
  }

  Result<void> fail_or_skip(const std::string& path, int error) {
    if (error != EXDEV && error != ELOOP && error != ENOENT) return fail(io_error(path, error));
    skip(path, reason(error));
    return {};
  }

  void skip(const std::string& path, std::string_view why) {
    if (skipped_.size() < 100) skipped_.push_back(path + ": " + std::string(why));
  }

  static constexpr std::size_t kMaxEntries = 100'000;  // links can show the same folder many times

  BootstrapLimits limits_;
  std::string root_path_;
  UniqueFd root_;
  std::map<std::string, BootstrapFile> files_;
  std::vector<std::string> skipped_;
  std::vector<std::pair<dev_t, ino_t>> ancestors_;
  std::uint64_t bytes_ = 0;
  std::size_t entries_ = 0;
};

bool is_there(const std::string& folder) {
  struct stat info{};
  return ::stat(folder.c_str(), &info) == 0 || errno != ENOENT;
}

// True when there was a folder to copy.
Result<bool> add_init_folder(Planner& planner, const std::string& init_dir,
                             const std::string& folder) {
  if (init_dir.empty()) return false;
  if (init_dir[0] == '/') {
    if (!is_there(init_dir)) return false;
    ATOLL_CHECK(planner.open_root(init_dir));
    ATOLL_CHECK(planner.add_tree("", ""));
    return true;
  }
  if (!is_there(folder)) return false;
  ATOLL_CHECK(planner.open_root(folder));
  ATOLL_TRY(bool there, planner.is_folder(init_dir));
  if (there) ATOLL_CHECK(planner.add_tree(init_dir, ""));
  return there;
}

}  // namespace

Result<BootstrapPlan> plan_bootstrap(const BootstrapConfig& config, const std::string& folder,
                                     const std::string& home, BootstrapLimits limits) {
  Planner planner(limits);
  ATOLL_TRY(bool init, add_init_folder(planner, expand_home(config.init_dir, home), folder));
  if (!is_there(folder)) return std::move(planner).finish();
  ATOLL_CHECK(planner.open_root(folder));
  if (!init) {
    for (const std::string& path : config.files) {
      if (!check_inner_path(path).empty()) {
        return fail(Code::kInvalidArgument,
                    "sandbox.bootstrap.files may hold only paths below "
                    "their folder");
      }
      ATOLL_CHECK(planner.add_file(path));
    }
  }
  ATOLL_TRY(bool skills, planner.is_folder(kSkills));
  if (skills) ATOLL_CHECK(planner.add_tree(kSkills, kSkills));
  return std::move(planner).finish();
}

Result<UniqueFd> open_bootstrap_file(const BootstrapFile& file) {
  UniqueFd root(::open(file.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return fail(io_error(file.root, errno));
  UniqueFd content = open_beneath(root, file.source, O_RDONLY);
  struct stat info{};
  if (!content || ::fstat(content.get(), &info) != 0) return fail(io_error(file.source, errno));
  if (!S_ISREG(info.st_mode)) {
    return fail(Code::kConflict, file.source + " is no longer a file");
  }
  return content;
}

}  // namespace atl::config
