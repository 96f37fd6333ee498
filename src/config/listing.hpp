// The values that hold, as they may be shown: secrets are hidden.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "config/load.hpp"

namespace atl::config {

struct Listed {
  std::string path;
  boost::json::value value;  // as it is written in a file
  std::string origin;
};

// Every field, in the order of the structs.
std::vector<Listed> list_values(const Loaded& loaded);

// The same without the origins: a document like a file that sets all of them.
boost::json::value as_document(std::span<const Listed> values);

}  // namespace atl::config
