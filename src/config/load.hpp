// From the sources to a Config: defaults, then the file, then the environment, then flags; each
// value keeps its origin. Pure: who reads files and the environment is find_file.hpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "config/config.hpp"
#include "config/environment.hpp"
#include "config/problem.hpp"

namespace atl::config {

struct FileText {
  std::string name;
  std::string text;
};

// A value from the command line: {"server.listen", "127.0.0.1:80", "--listen"}. The path in any
// spelling; the value as in the environment.
struct Override {
  std::string path;
  std::string value;
  std::string flag;
};

struct Sources {
  std::optional<FileText> file;
  std::vector<Variable> environment;
  std::vector<Override> overrides;
};

struct Loaded {
  Config config;
  std::map<std::string, Origin> origins;  // by path; what is missing here is a default
  std::string file;                       // empty: none
  bool sandbox_block = false;

  Origin origin_of(const std::string& path) const;
};

// All problems at once, in the order of the sources.
std::expected<Loaded, Problems> load(const Sources& sources);

// What no single field can say: adds to `problems`.
void check_together(const Loaded& loaded, Problems& problems);

}  // namespace atl::config
