// Bodies about judging code.
#pragma once

#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "bodies/common.hpp"

namespace atl::bodies {

struct PolicyCheckBody {
  std::optional<std::string> code;
  std::optional<std::string> language;
};
BOOST_DESCRIBE_STRUCT(PolicyCheckBody, (), (code, language))

}  // namespace atl::bodies
