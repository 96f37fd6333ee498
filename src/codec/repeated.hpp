// Objects that say a member twice: Boost.JSON keeps the last in silence, and another reader of the
// same document may have gone by the first.
#pragma once

#include <string_view>

#include <boost/json/value.hpp>

namespace atl::codec {

// `value` is what `text` was parsed to.
bool repeats_a_member(std::string_view text, const boost::json::value& value);

}  // namespace atl::codec
