// From a parsed JSON value to a described type. Included through json.hpp.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>

#include "codec/decode_error.hpp"
#include "codec/names.hpp"
#include "codec/nullable.hpp"

namespace atl::codec {

struct DecodeOptions {
  bool ignore_unknown = false;  // dialects: other people's clients send what they like
  bool keep_defaults = false;   // configuration: an absent member keeps its initialiser
};

namespace detail {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsOptional<Nullable<T>> : std::true_type {};
template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsMap : std::false_type {};
template <typename T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

// Kept out of the templates: instantiated for every member otherwise.
std::expected<std::int64_t, DecodeError> signed_number(const boost::json::value& value,
                                                       const Where& where, std::int64_t least,
                                                       std::int64_t most);
std::expected<std::uint64_t, DecodeError> unsigned_number(const boost::json::value& value,
                                                          const Where& where, std::uint64_t most);
Decoded<double> real_number(const boost::json::value& value, const Where& where);
Decoded<bool> boolean(const boost::json::value& value, const Where& where);
Decoded<std::string> string(const boost::json::value& value, const Where& where);
Decoded<const boost::json::array*> array(const boost::json::value& value, const Where& where);
Decoded<const boost::json::object*> object(const boost::json::value& value, const Where& where);
const boost::json::value* find(const boost::json::object& object, std::string_view key);
// The first key that is not among `known`, as an error.
std::optional<DecodeError> unknown_member(const boost::json::object& object, const Where& where,
                                          const std::vector<std::string>& known);
std::string choices(const std::vector<std::string>& names);

template <typename T>
Decoded<T> decode_at(const boost::json::value& value, const Where& where, DecodeOptions options);

template <typename T>
Decoded<T> decode_integer(const boost::json::value& value, const Where& where) {
  if constexpr (std::is_signed_v<T>) {
    auto number =
        signed_number(value, where, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    if (!number) return std::unexpected(std::move(number).error());
    return static_cast<T>(*number);
  } else {
    auto number = unsigned_number(value, where, std::numeric_limits<T>::max());
    if (!number) return std::unexpected(std::move(number).error());
    return static_cast<T>(*number);
  }
}

template <typename T>
Decoded<T> decode_enum(const boost::json::value& value, const Where& where) {
  Decoded<std::string> text = string(value, where);
  if (!text) return std::unexpected(std::move(text).error());
  std::optional<T> found;
  std::vector<std::string> names;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto entry) {
    names.push_back(enumerator_name(entry.name));
    if (names.back() == *text) found = entry.value;
  });
  if (!found) return where.refused("must be one of " + choices(names));
  return *found;
}

template <typename T>
Decoded<T> decode_struct(const boost::json::value& value, const Where& where,
                         DecodeOptions options) {
  Decoded<const boost::json::object*> members = object(value, where);
  if (!members) return std::unexpected(std::move(members).error());
  T out{};
  std::optional<DecodeError> error;
  std::vector<std::string> known;
  using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                           boost::describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>([&](auto entry) {
    if (error) return;
    using Member = std::remove_cvref_t<decltype(out.*entry.pointer)>;
    const std::string& name = known.emplace_back(member_name(entry.name, is_camel_case<T>()));
    const boost::json::value* present = find(**members, name);
    Where here(where, name);
    if (present == nullptr) {
      if (!IsOptional<Member>::value && !options.keep_defaults)
        error = here.wrong("is required").error();
      return;
    }
    Decoded<Member> decoded = decode_at<Member>(*present, here, options);
    if (decoded)
      out.*entry.pointer = std::move(*decoded);
    else
      error = std::move(decoded).error();
  });
  if (!error && !options.ignore_unknown) error = unknown_member(**members, where, known);
  if (error) return std::unexpected(std::move(*error));
  return out;
}

template <typename T>
Decoded<std::vector<T>> decode_list(const boost::json::value& value, const Where& where,
                                    DecodeOptions options);
template <typename T>
Decoded<std::map<std::string, T>> decode_map(const boost::json::value& value, const Where& where,
                                             DecodeOptions options);

template <typename T>
Decoded<T> decode_at(const boost::json::value& value, const Where& where, DecodeOptions options) {
  if constexpr (std::is_same_v<T, boost::json::value>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return boolean(value, where);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return string(value, where);
  } else if constexpr (std::is_enum_v<T>) {
    return decode_enum<T>(value, where);
  } else if constexpr (std::integral<T>) {
    return decode_integer<T>(value, where);
  } else if constexpr (std::is_same_v<T, double>) {
    return real_number(value, where);
  } else if constexpr (IsOptional<T>::value) {
    if (value.is_null()) return T();
    auto inner = decode_at<typename T::value_type>(value, where, options);
    if (!inner) return std::unexpected(std::move(inner).error());
    return T(std::move(*inner));
  } else if constexpr (IsVector<T>::value) {
    return decode_list<typename T::value_type>(value, where, options);
  } else if constexpr (IsMap<T>::value) {
    return decode_map<typename T::mapped_type>(value, where, options);
  } else if constexpr (requires { T::from_json(value, where, options); }) {
    return T::from_json(value, where, options);
  } else {
    return decode_struct<T>(value, where, options);
  }
}

template <typename T>
Decoded<std::vector<T>> decode_list(const boost::json::value& value, const Where& where,
                                    DecodeOptions options) {
  Decoded<const boost::json::array*> items = array(value, where);
  if (!items) return std::unexpected(std::move(items).error());
  std::vector<T> out;
  out.reserve((*items)->size());
  for (const boost::json::value& item : **items) {
    Decoded<T> decoded = decode_at<T>(item, Where(where, out.size()), options);
    if (!decoded) return std::unexpected(std::move(decoded).error());
    out.push_back(std::move(*decoded));
  }
  return out;
}

template <typename T>
Decoded<std::map<std::string, T>> decode_map(const boost::json::value& value, const Where& where,
                                             DecodeOptions options) {
  Decoded<const boost::json::object*> members = object(value, where);
  if (!members) return std::unexpected(std::move(members).error());
  std::map<std::string, T> out;
  for (const auto& member : **members) {
    std::string_view key(member.key().data(), member.key().size());
    Decoded<T> decoded = decode_at<T>(member.value(), Where(where, key), options);
    if (!decoded) return std::unexpected(std::move(decoded).error());
    out.insert_or_assign(std::string(key), std::move(*decoded));
  }
  return out;
}

}  // namespace detail

template <typename T>
Decoded<T> decode_value(const boost::json::value& value, DecodeOptions options = {}) {
  return detail::decode_at<T>(value, Where(), options);
}

}  // namespace atl::codec
