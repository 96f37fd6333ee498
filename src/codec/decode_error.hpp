// What is wrong with a document, and where.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/expected.hpp"

namespace atl::codec {

struct DecodeError {
  std::string pointer;  // RFC 6901; "" is the whole document
  std::string detail;   // "is required", "must be a string"
  Code code = Code::kInvalidArgument;

  Error to_error() const;
};

template <typename T>
using Decoded = std::expected<T, DecodeError>;

// The way from the document's root to where the decoder is; lives on the stack, costs nothing
// unless something is wrong.
class Where {
 public:
  Where() = default;
  Where(const Where& parent, std::string_view key) : parent_(&parent), key_(key) {}
  Where(const Where& parent, std::size_t index)
      : parent_(&parent), index_(index), is_index_(true) {}

  std::string pointer() const;
  std::unexpected<DecodeError> wrong(std::string detail) const {
    return std::unexpected(DecodeError{.pointer = pointer(), .detail = std::move(detail)});
  }
  // Of the right type, but not with this value.
  std::unexpected<DecodeError> refused(std::string detail) const {
    return std::unexpected(DecodeError{
        .pointer = pointer(), .detail = std::move(detail), .code = Code::kInvalidValue});
  }

 private:
  const Where* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_index_ = false;
};

}  // namespace atl::codec
