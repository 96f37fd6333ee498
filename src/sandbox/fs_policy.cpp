#include "sandbox/fs_policy.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "sandbox/glob.hpp"

namespace atl::sandbox {

namespace {

// A pattern like /**/x on a host with a million folders ends here, not in minutes.
constexpr std::size_t kMaxVisited = 100'000;

using Components = std::vector<std::string>;

std::unexpected<Error> bad_pattern(const std::string& pattern, const char* why) {
  return fail(Code::kInvalidArgument, "the file pattern \"" + pattern + "\" " + why);
}

Result<Components> components_of(const std::string& pattern, const std::string& workspace,
                                 const std::string& home) {
  if (pattern.empty()) return fail(Code::kInvalidArgument, "a file pattern is empty");
  if (pattern.find('\0') != std::string::npos) return bad_pattern("…", "holds a NUL byte");
  std::string whole = pattern;
  if (pattern.front() == '~') {
    if (pattern.size() > 1 && pattern[1] != '/')
      return bad_pattern(pattern, "names another user's home");
    whole = (home.empty() ? workspace : home) + pattern.substr(1);
  } else if (pattern.front() != '/') {
    whole = workspace + "/" + pattern;
  }
  Components parts;
  for (std::size_t begin = 0; begin < whole.size();) {
    std::size_t end = std::min(whole.find('/', begin), whole.size());
    std::string part = whole.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return bad_pattern(pattern, "holds \"..\"");
    parts.push_back(std::move(part));
  }
  // A rule covers what is below its path anyway.
  while (!parts.empty() && parts.back() == "**") parts.pop_back();
  return parts;
}

class Expansion {
 public:
  Expansion(const ListNames& list_names, std::set<std::string>& found)
      : list_names_(list_names), found_(found) {}

  // `behind_glob`: a name must exist to match. Before any glob it may come to exist later.
  // `named`: by a part of the pattern, and not found by "**".
  Result<void> walk(const std::string& folder, std::span<const std::string> rest, bool behind_glob,
                    bool named) {
    if (rest.empty()) {
      found_.insert(folder.empty() ? "/" : folder);
      return {};
    }
    if (!is_glob(rest.front()) && !behind_glob) {
      return walk(folder + "/" + unescaped(rest.front()), rest.subspan(1), false, true);
    }
    if (++visited_ > kMaxVisited) {
      return fail(Code::kTooLarge, "a file pattern searches through too many folders");
    }
    bool any_depth = rest.front() == "**";
    if (any_depth) {
      ATOLL_CHECK(walk(folder, rest.subspan(1), true, named));
    }
    for (const std::string& name : list_names_(folder.empty() ? "/" : folder, named)) {
      std::string path = folder;
      path.append("/").append(name);
      if (!any_depth && !glob_match(rest.front(), name)) continue;
      ATOLL_CHECK(walk(path, any_depth ? rest : rest.subspan(1), true, !any_depth));
    }
    return {};
  }

 private:
  const ListNames& list_names_;
  std::set<std::string>& found_;
  std::size_t visited_ = 0;
};

Result<std::vector<std::string>> expand(const std::vector<std::string>& patterns,
                                        const ListNames& list_names, const std::string& workspace,
                                        const std::string& home) {
  std::set<std::string> found;
  for (const std::string& pattern : patterns) {
    ATOLL_TRY(Components parts, components_of(pattern, workspace, home));
    ATOLL_CHECK(Expansion(list_names, found).walk("", parts, false, true));
  }
  // What lies below another path of the same list says nothing new.
  std::vector<std::string> paths;
  for (const std::string& path : found) {
    bool covered =
        std::ranges::any_of(paths, [&](const std::string& one) { return is_below(path, one); });
    if (!covered) paths.push_back(path);
  }
  return paths;
}

}  // namespace

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path != "/";
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

Result<std::vector<std::string>> searched_folders(const FilesystemPatterns& patterns,
                                                  const std::string& workspace,
                                                  const std::string& home) {
  std::set<std::string> folders;
  for (const auto* list : {&patterns.deny_read, &patterns.allow_write, &patterns.deny_write}) {
    for (const std::string& pattern : *list) {
      ATOLL_TRY(Components parts, components_of(pattern, workspace, home));
      auto glob =
          std::ranges::find_if(parts, [](const std::string& part) { return is_glob(part); });
      if (glob == parts.end()) continue;
      std::string folder;
      for (auto part = parts.begin(); part != glob; ++part) folder += "/" + unescaped(*part);
      folders.insert(folder.empty() ? "/" : folder);
    }
  }
  return std::vector<std::string>(folders.begin(), folders.end());
}

Result<FilesystemPolicy> expand_policy(const FilesystemPatterns& patterns,
                                       const ListNames& list_names, const std::string& workspace,
                                       const std::string& home) {
  FilesystemPolicy policy;
  ATOLL_TRY(policy.deny_read, expand(patterns.deny_read, list_names, workspace, home));
  ATOLL_TRY(policy.allow_write, expand(patterns.allow_write, list_names, workspace, home));
  ATOLL_TRY(policy.deny_write, expand(patterns.deny_write, list_names, workspace, home));
  std::size_t count =
      policy.deny_read.size() + policy.allow_write.size() + policy.deny_write.size();
  if (count > kMaxFilesystemRules) {
    return fail(Code::kTooLarge, "the file patterns stand for " + std::to_string(count) +
                                     " paths, and a sandbox takes " +
                                     std::to_string(kMaxFilesystemRules) +
                                     "; deny a folder instead of the files in it");
  }
  return policy;
}

}  // namespace atl::sandbox
