// How C++ names look in JSON: members as they are (a trailing underscore, as in `default_`, is
// dropped; camelCase where the type says kCamelCase), enumerators kTimedOut as "timed_out".
#pragma once

#include <string>
#include <string_view>

#include <boost/describe/enum_to_string.hpp>

namespace atl::codec {

std::string member_name(std::string_view name, bool camel_case);
std::string enumerator_name(std::string_view name);

// What a described enumerator is called in JSON.
template <typename Enum>
std::string enum_name(Enum value) {
  return enumerator_name(boost::describe::enum_to_string(value, "kUnknown"));
}

// struct Pod { static constexpr bool kCamelCase = true; … };
template <typename T>
constexpr bool is_camel_case() {
  if constexpr (requires { T::kCamelCase; }) {
    return T::kCamelCase;
  } else {
    return false;
  }
}

}  // namespace atl::codec
