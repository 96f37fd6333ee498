// pip and npm, as a build sandbox runs them to fetch packages of templates. They see no
// configuration but ours, and run nothing of a package: pip takes wheels only, npm leaves scripts
// out (docs/adr/0065-packages-in-a-sandbox.md).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "node/index_address.hpp"

namespace atl::node {

struct Installer {
  const char* name;
  const char* place;                     // where sandboxes see the packages
  const char* result;                    // what it makes, in the build sandbox
  bool (*is_package)(std::string_view);  // a name with its version: no path, link or option
  std::vector<std::string> (*words)(const IndexAddress& index);  // the packages come behind them
  std::map<std::string, std::string> (*environment)(const IndexAddress& index);
};

// Null: there is none for the packages of this language.
const Installer* installer_of(std::string_view language);

}  // namespace atl::node
