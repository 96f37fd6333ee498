// Ids are types, not strings. Sortable by time of birth: 10 characters of milliseconds, 16 of
// randomness, in the lower-case Crockford alphabet, so that they fit host names and cgroup names.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl {

// 26 characters of [0-9a-z]; later calls sort after earlier ones, also within one millisecond.
std::string make_sortable_id();

// When an id was made, in milliseconds since 1970; and the least id that this millisecond can have.
std::uint64_t id_milliseconds(std::string_view id);
std::string first_id_at(std::uint64_t milliseconds);

template <typename Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}
  static Id make() { return Id(make_sortable_id()); }

  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }
  auto operator<=>(const Id&) const = default;

 private:
  std::string text_;
};

using SandboxId = Id<struct SandboxTag>;
using SessionId = Id<struct SessionTag>;
using ExecutionId = Id<struct ExecutionTag>;
using ContextId = Id<struct ContextTag>;

}  // namespace atl
