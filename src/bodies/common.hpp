// Parts that several bodies share. A body is what the REST API sends or takes as JSON, field by
// field: the server, the client library and the command line use the same structs, and a test holds
// them against openapi.yaml.
#pragma once

#include <map>
#include <string>

#include <boost/describe/class.hpp>

#include "codec/nullable.hpp"

namespace atl::bodies {

using codec::Nullable;
using StringMap = std::map<std::string, std::string>;

// For requests whose path says everything.
struct EmptyBody {};
BOOST_DESCRIBE_STRUCT(EmptyBody, (), ())

struct ErrorBody {
  std::string code;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(ErrorBody, (), (code, message))

}  // namespace atl::bodies
