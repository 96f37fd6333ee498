// pip and npm, as the server's user runs them to fetch packages of templates. They reach the index
// and nothing else, see no configuration but ours, and run nothing of a package: pip takes wheels
// only, npm leaves scripts out (docs/adr/0016-packages.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/child.hpp"
#include "base/result.hpp"

namespace atl::node {

struct Installer {
  const char* name;
  const char* place;                     // where sandboxes see the packages
  const char* result;                    // what it makes, below its staging folder
  bool (*is_package)(std::string_view);  // a name with its version: no path, link or option
  std::vector<std::string> (*words)(const std::string& staging);
  std::vector<std::string> (*environment)(const std::string& staging, const std::string& index);
};

// Null: there is none for the packages of this language.
const Installer* installer_of(std::string_view language);

// What it says is in STAGING/said.
Result<Child> start(const Installer& installer, const std::string& staging,
                    const std::string& index_url, const std::vector<std::string>& packages);

}  // namespace atl::node
