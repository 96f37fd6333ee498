#include "cli/remote/cp_plan.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/safe_names.hpp"
#include "base/utf8.hpp"

namespace atl::cli {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot(const std::string& path, const std::error_code& error) {
  return fail(Error(code_from_errno(error.value()), "cannot read " + path + ": " + error.message(),
                    error.value()));
}

// A name that is not UTF-8 cannot be in the request either.
Result<void> add_link(LocalTree& tree, const std::string& folder, const fs::path& path) {
  std::error_code error;
  LocalLink link{.name = path.lexically_relative(folder).string(),
                 .target = fs::read_symlink(path, error).string()};
  if (error) return cannot(path.string(), error);
  if (is_safe_link(link.name, link.target) && is_utf8(link.name) && is_utf8(link.target)) {
    tree.links.push_back(std::move(link));
  } else {
    ++tree.leaving_links;
  }
  return {};
}

}  // namespace

CpPlace parse_place(std::string_view word) {
  std::size_t colon = word.find(':');
  std::string_view before = word.substr(0, colon);
  bool here = colon == word.npos || before.empty() || before.front() == '.' ||
              before.find('/') != before.npos;
  if (here) return {.path = std::string(word)};
  return {.session = std::string(before), .path = std::string(word.substr(colon + 1))};
}

std::string last_part(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  std::size_t slash = path.rfind('/');
  return std::string(slash == path.npos ? path : path.substr(slash + 1));
}

std::string joined(const std::string& folder, const std::string& name) {
  if (folder.empty() || name.empty()) return folder + name;
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

Result<LocalTree> list_tree(const std::string& folder) {
  LocalTree tree;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  if (error) return cannot(folder, error);
  for (; at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (error) return cannot(folder, error);
    struct stat info{};
    if (::lstat(at->path().c_str(), &info) != 0) {
      return cannot(at->path().string(), {errno, std::generic_category()});
    }
    if (S_ISDIR(info.st_mode)) {
      bool empty = fs::is_empty(at->path(), error);
      if (error) return cannot(at->path().string(), error);
      tree.empty_folders += empty ? 1 : 0;
    } else if (S_ISREG(info.st_mode)) {
      LocalFile file{.name = at->path().lexically_relative(folder).string(),
                     .mode = static_cast<std::uint32_t>(info.st_mode & 0777),
                     .size = static_cast<std::uint64_t>(info.st_size)};
      tree.bytes += file.size;
      tree.files.push_back(std::move(file));
    } else if (S_ISLNK(info.st_mode)) {
      ATOLL_CHECK(add_link(tree, folder, at->path()));
    } else {
      ++tree.devices;
    }
  }
  if (error) return cannot(folder, error);
  std::ranges::sort(tree.files, {}, &LocalFile::name);
  return tree;
}

std::vector<std::vector<LocalFile>> in_batches(std::vector<LocalFile> files) {
  constexpr std::size_t kMostFiles = 500;
  constexpr std::uint64_t kMostBytes = 64u << 20;
  auto is_odd = [](const LocalFile& file) {
    return std::ranges::any_of(file.name, [](unsigned char c) { return c < ' ' || c == 0x7f; });
  };
  std::vector<std::vector<LocalFile>> batches;
  std::map<std::uint32_t, std::pair<std::size_t, std::uint64_t>> open;  // mode: batch, its bytes
  for (LocalFile& file : files) {
    auto found = open.find(file.mode);
    bool fits = found != open.end() && batches[found->second.first].size() < kMostFiles &&
                found->second.second + file.size <= kMostBytes;
    if (is_odd(file)) {
      batches.emplace_back().push_back(std::move(file));
      continue;
    }
    if (!fits) {
      open[file.mode] = {batches.size(), 0};
      batches.emplace_back();
    }
    auto& [batch, bytes] = open[file.mode];
    bytes += file.size;
    batches[batch].push_back(std::move(file));
  }
  return batches;
}

}  // namespace atl::cli
