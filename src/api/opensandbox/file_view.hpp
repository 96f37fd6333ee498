// Files as execd describes them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>

#include "api/common/refusal.hpp"
#include "model/file.hpp"

namespace atl::api::opensandbox {

// Who may do what with a file: of an upload, a new folder, a change.
struct PermissionBody {
  std::optional<std::string> path;  // of an upload alone
  std::optional<std::uint32_t> mode;
  std::optional<std::string> owner;
  std::optional<std::string> group;
};
BOOST_DESCRIBE_STRUCT(PermissionBody, (), (path, mode, owner, group))

// Modes travel as the decimal number that looks like the octal one: 755 is 0755.
std::uint32_t mode_digits(std::uint32_t mode);
std::optional<std::uint32_t> mode_from_digits(std::uint32_t digits);
// Absent or 0: `absent`. Files here have one owner, so another one is refused.
Answer<std::uint32_t> mode_of(const PermissionBody& body, std::uint32_t absent);

// The whole path of a file, whose own is relative to the workspace where it is below it.
std::string whole_path(const model::File& file, const std::string& workspace);
boost::json::object file_view(const model::File& file, const std::string& path);

// Lines `first` to `first + count - 1` of a text that comes in pieces, counted from 1.
class LineWindow {
 public:
  LineWindow(std::uint64_t first, std::uint64_t count) : skip_(first - 1), left_(count) {}
  // What of this piece is within.
  std::string_view take(std::string_view piece);
  bool done() const { return left_ == 0; }

 private:
  std::uint64_t skip_;
  std::uint64_t left_;
};

}  // namespace atl::api::opensandbox
