// JSON <-> described structs. Input is hostile: size and depth are bounded, unknown and repeated
// fields are refused unless the caller says otherwise, numbers must fit, and an error says where (a
// JSON pointer) and why.
//
//   struct CreateSandbox { std::string image; std::vector<std::string> command; std::optional<int>
//   cpus; }; BOOST_DESCRIBE_STRUCT(CreateSandbox, (), (image, command, cpus))
//   {"image":"a","comand":[]}  ->  at "/command": is required
//
// Known types: bool, integers, double, std::string, std::optional (absent or null), std::vector,
// std::map<std::string, T>, described enums and structs, boost::json::value (anything), and types
// with to_json() and from_json() of their own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/error.hpp"
#include "base/expected.hpp"
#include "codec/decode.hpp"
#include "codec/encode.hpp"
#include "codec/repeated.hpp"

namespace atl::codec {

struct Limits {
  std::size_t max_bytes = 1024 * 1024;
  std::size_t max_depth = 32;
};

// kTooLarge or kInvalidArgument through DecodeError::to_error().
std::expected<boost::json::value, DecodeError> parse(std::string_view text, Limits limits = {});
// Fractions as 0.5, not 5E-1.
std::string serialize(const boost::json::value& value);

template <typename T>
Decoded<T> decode(std::string_view text, DecodeOptions options = {}, Limits limits = {}) {
  std::expected<boost::json::value, DecodeError> value = parse(text, limits);
  if (!value) return std::unexpected(std::move(value).error());
  if (!options.ignore_unknown && repeats_a_member(text, *value)) {
    return std::unexpected(DecodeError{.pointer = "", .detail = "says a member twice"});
  }
  return decode_value<T>(*value, options);
}

template <typename T>
std::string encode(const T& value) {
  return serialize(to_json(value));
}

}  // namespace atl::codec
