// Names of files as E2B's clients write them. Their home is /home/user; here it is the workspace,
// and an answer names a file below the folder that the request named it by. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/file.hpp"

namespace atl::api::e2b {

inline constexpr std::string_view kHome = "/home/user";
inline constexpr std::string_view kWorkspace = "/workspace";

struct ClientPath {
  std::string inside;   // absolute, for control
  bool by_home = true;  // the client called the workspace /home/user, or left it out

  // How the client would call this file, whose path control gave.
  std::string shown(std::string_view path) const;
};

// Relative ones and `~` are below home; `.`, `..` and double slashes are resolved as text.
ClientPath client_path(std::string_view path);
// Relative to a folder, as events of a watch have them.
std::string below(std::string_view path, std::string_view folder);

std::string permissions_of(const model::File& file);  // "-rw-r--r--"

}  // namespace atl::api::e2b
