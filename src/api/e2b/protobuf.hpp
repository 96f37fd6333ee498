// Binary protobuf to proto3 JSON and back, for the messages of messages.hpp. Input is hostile: the
// caller bounds its size, this bounds depth and the number of fields. Unknown fields are skipped.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/e2b/messages.hpp"
#include "base/result.hpp"

namespace atl::api::e2b {

Result<boost::json::object> from_protobuf(const MessageType& type, std::string_view bytes);
// Members that the type does not have are left out.
std::string to_protobuf(const MessageType& type, const boost::json::object& message);

}  // namespace atl::api::e2b
