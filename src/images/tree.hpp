// Folders of the store by descriptor, never by way of a link.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::images {

Result<UniqueFd> open_folder(int at, const char* name);
// Opened, and made first when it is missing.
Result<UniqueFd> make_folder(int at, const char* name, mode_t mode);
// The names in it, "." and ".." left out, in no order.
Result<std::vector<std::string>> list_folder(const UniqueFd& folder);
// A file or a folder with all that is in it, whatever the modes say. What is gone is as good.
Result<void> remove_tree(int at, const std::string& name);

Result<std::string> read_text(int at, const char* name, std::size_t most);
// A new file, not yet synced.
Result<UniqueFd> write_text(const UniqueFd& folder, const std::string& name, std::string_view text);
// Written whole and synced under another name, then renamed: a reader sees the old or the new one.
Result<void> write_text_atomically(const UniqueFd& folder, const std::string& name,
                                   std::string_view text);

}  // namespace atl::images
