// The members of one JSON object, as slices of its text: checked, but never built into a tree. The
// text comes from code in a sandbox, and a tree of it could be twenty times its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace atl::contexts {

class JsonObject {
 public:
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxMembers = 64;
  static constexpr std::size_t kMaxKey = 256;

  JsonObject() = default;
  // kInvalidArgument says what is wrong: not JSON, not an object, too deep, too many members. The
  // size is the caller's to bound.
  static Result<JsonObject> parse(std::string text);

  // As it came.
  const std::string& text() const { return text_; }
  std::vector<std::string> keys() const;
  // The member's JSON; nullopt when there is none. Of two with one name the first counts.
  std::optional<std::string_view> raw(std::string_view key) const;
  // nullopt when it is missing or of another type.
  std::optional<std::string> string(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;

 private:
  struct Member {
    std::string key;
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::string text_ = "{}";
  std::vector<Member> members_;
};

}  // namespace atl::contexts
