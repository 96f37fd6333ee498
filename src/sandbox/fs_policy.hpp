// From the patterns that people write (denyRead: ["~/.ssh", "**/*.key"]) to the concrete paths that
// a sandbox is built with. No I/O of its own: whoever calls tells which names exist.
//
// A rule covers everything below its path. A glob is expanded when the sandbox is made: what
// appears later under a matching name is not covered, so deny a folder where that matters.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::sandbox {

// The names in a folder inside the sandbox; none when it is no folder or cannot be read. `follow`:
// it may be a symlink to one. A search through all depths comes across those as well, and without
// it they have none (loops).
using ListNames = std::function<std::vector<std::string>(const std::string& folder, bool follow)>;

inline constexpr std::size_t kMaxFilesystemRules = 64;

// `~` is the workspace unless `home` says otherwise, relative patterns start in the workspace.
// Globs *, ?, [..] within a component, ** for any number of components. kInvalidArgument: empty,
// "..", "~user", NUL. kTooLarge: more than kMaxFilesystemRules paths, or a search through too many
// folders.
Result<FilesystemPolicy> expand_policy(const FilesystemPatterns& patterns,
                                       const ListNames& list_names,
                                       const std::string& workspace = "/workspace",
                                       const std::string& home = {});

// The folders that globs are searched from: what stands before the first glob of a pattern.
Result<std::vector<std::string>> searched_folders(const FilesystemPatterns& patterns,
                                                  const std::string& workspace = "/workspace",
                                                  const std::string& home = {});

// Of two absolute paths without a slash at the end.
bool is_below(std::string_view path, std::string_view folder);

}  // namespace atl::sandbox
