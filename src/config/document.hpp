// Reads JSON as people write it: with // and /* */ comments and commas after the last entry. Keeps
// where everything stands, so that whoever finds a mistake can say in which line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/expected.hpp"
#include "config/problem.hpp"

namespace atl::config {

inline constexpr std::size_t kMaxDocument = 1024 * 1024;
inline constexpr std::size_t kMaxDepth = 32;
inline constexpr std::size_t kMaxElements = 50'000;

struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // in characters
};

struct Member;

struct Element {
  enum class Kind : std::uint8_t { kScalar, kList, kObject };

  Kind kind = Kind::kScalar;
  Place place;
  boost::json::value scalar;    // null, true or false, a number, a string
  std::vector<Element> items;   // kList
  std::vector<Member> members;  // kObject, in the order of the text
};

struct Member {
  std::string key;
  Place place;  // of the key
  Element value;
};

// `source` is what problems name as their origin; its line and column are filled in. A key that
// stands twice in one object is a problem too.
std::expected<Element, Problem> read_document(std::string_view text, const Origin& source);

// The element without its places. Of a list of lists too.
boost::json::value to_value(const Element& element);

}  // namespace atl::config
