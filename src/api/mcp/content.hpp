// Contents of files for tools and resources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/mcp/call.hpp"
#include "control/files.hpp"

namespace atl::api::mcp {

// `length` bytes from `offset`, which the file has.
Task<Result<std::string>> read_bytes(control::OpenedFile* file, std::uint64_t offset,
                                     std::uint64_t length);

// image/png, image/jpeg, image/gif or image/webp by the first bytes.
std::optional<std::string_view> picture_type(std::string_view bytes);

// Bytes that are in memory, for control to read.
class TextSource final : public control::ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  Task<Result<std::optional<std::string>>> next() override;

 private:
  std::string text_;
};

}  // namespace atl::api::mcp
