// The configuration and what is wrong with it, as a table, as JSON and as YAML.
#pragma once

#include <span>
#include <string>

#include "config/listing.hpp"
#include "config/problem.hpp"

namespace atl::cli {

std::string values_text(std::span<const config::Listed> values, bool color);
// {"file": …, "config": {…}, "origins": {"server.listen": "default", …}}; `file` empty: null.
std::string values_json(std::span<const config::Listed> values, const std::string& file,
                        bool pretty);
// As a document, with the origin of each value as a comment.
std::string values_yaml(std::span<const config::Listed> values);

// A line each.
std::string problems_text(const config::Problems& problems);
// {"ok": …, "file": …, "problems": [{"origin", "line", "column", "pointer", "detail"}]}. As YAML
// too: JSON is YAML.
std::string problems_json(const config::Problems& problems, const std::string& file, bool pretty);

}  // namespace atl::cli
