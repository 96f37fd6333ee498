#include "api/mcp/content.hpp"

#include <utility>

namespace atl::api::mcp {

Task<Result<std::string>> read_bytes(control::OpenedFile* file, std::uint64_t offset,
                                     std::uint64_t length) {
  std::string bytes;
  if (length == 0) co_return bytes;
  ATOLL_CO_TRY(std::unique_ptr<control::ByteSource> source, co_await file->content(offset, length));
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> piece, co_await source->next());
    if (!piece) co_return bytes;
    bytes += *piece;
  }
}

std::optional<std::string_view> picture_type(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff"sv)) return "image/jpeg";
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return "image/gif";
  if (bytes.starts_with("RIFF"sv) && bytes.substr(0, 12).ends_with("WEBP")) return "image/webp";
  return std::nullopt;
}

Task<Result<std::optional<std::string>>> TextSource::next() {
  if (text_.empty()) co_return std::nullopt;
  co_return std::exchange(text_, {});
}

}  // namespace atl::api::mcp
