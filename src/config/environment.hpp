// Values from the environment: ATOLL_SERVER__LISTEN sets server.listen. Two underscores stand
// between the steps of a path; within a step case and underscores do not matter. NANOBOT_ is read
// too, and loses against ATOLL_.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/layer.hpp"

namespace atl::config {

struct Variable {
  std::string name;
  std::string value;
};

// Those of `environment` ("NAME=value", ended by nullptr) that could be ours.
std::vector<Variable> own_variables(const char* const* environment);

// Later layers win. A variable without "__" that names nothing is not ours: ATOLL_ is also the
// prefix of variables that programs read themselves. Of the NANOBOT_ ones only those of the sandbox
// block must be known.
std::vector<Layer> environment_layers(const std::vector<Variable>& variables);

// The field or block that "server.listen" names, in any spelling; `separator` is "." or "__".
// nullptr: none; then `parent` is the last step that exists and `rest` the one that does not.
struct Found {
  const Node* node = nullptr;
  const Node* parent = nullptr;
  std::string_view rest;
};
Found find_path(std::string_view path, std::string_view separator);
// A problem for a path that was not found.
void complain_about(const Found& missing, const Origin& origin, Layer& layer);

}  // namespace atl::config
