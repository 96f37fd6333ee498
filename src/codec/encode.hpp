// From a described type to a JSON value. An empty optional is left out, an empty Nullable is null;
// bytes that are no UTF-8
// become U+FFFD; numbers that JSON cannot say (infinities, NaN) become null. Included through
// json.hpp.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>

#include "codec/decode.hpp"
#include "codec/names.hpp"

namespace atl::codec {

namespace detail {
boost::json::value json_string(std::string_view text);
boost::json::value json_number(double number);
void add_member(boost::json::object& object, std::string_view key, boost::json::value value);
}  // namespace detail

template <typename T>
boost::json::value to_json(const T& value);

// The JSON name of an enum's value.
template <typename T>
  requires std::is_enum_v<T>
std::string name_of(T value) {
  std::string name = "unknown";
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto entry) {
    if (entry.value == value) name = enumerator_name(entry.name);
  });
  return name;
}

namespace detail {

template <typename T>
struct IsNullable : std::false_type {};
template <typename T>
struct IsNullable<Nullable<T>> : std::true_type {};

template <typename T>
boost::json::value struct_to_json(const T& value) {
  boost::json::object object;
  using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                           boost::describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>([&](auto entry) {
    const auto& member = value.*entry.pointer;
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (IsOptional<Member>::value && !IsNullable<Member>::value) {
      if (!member) return;
    }
    add_member(object, member_name(entry.name, is_camel_case<T>()), to_json(member));
  });
  return object;
}

}  // namespace detail

template <typename T>
boost::json::value to_json(const T& value) {
  if constexpr (std::is_same_v<T, boost::json::value> || std::is_same_v<T, bool> ||
                std::integral<T>) {
    return value;
  } else if constexpr (std::floating_point<T>) {
    return detail::json_number(value);
  } else if constexpr (std::is_enum_v<T>) {
    return detail::json_string(name_of(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return detail::json_string(value);
  } else if constexpr (detail::IsOptional<T>::value) {
    if (!value) return nullptr;
    return to_json(*value);
  } else if constexpr (detail::IsVector<T>::value) {
    boost::json::array array;
    array.reserve(value.size());
    for (const auto& item : value) array.push_back(to_json<typename T::value_type>(item));
    return array;
  } else if constexpr (detail::IsMap<T>::value) {
    boost::json::object object;
    for (const auto& [key, item] : value) detail::add_member(object, key, to_json(item));
    return object;
  } else if constexpr (requires { value.to_json(); }) {
    return value.to_json();
  } else {
    return detail::struct_to_json(value);
  }
}

}  // namespace atl::codec
