#include "api/opensandbox/file_view.hpp"

#include <chrono>

#include "api/common/text.hpp"

namespace atl::api::opensandbox {

namespace {

std::string_view kind_of(model::File::Kind kind) {
  switch (kind) {
    case model::File::Kind::kFile: return "file";
    case model::File::Kind::kDirectory: return "directory";
    case model::File::Kind::kSymlink: return "symlink";
    case model::File::Kind::kOther: break;
  }
  return "other";
}

}  // namespace

std::uint32_t mode_digits(std::uint32_t mode) {
  std::uint32_t digits = 0;
  for (std::uint32_t place = 1; mode != 0; mode /= 8, place *= 10) digits += mode % 8 * place;
  return digits;
}

std::optional<std::uint32_t> mode_from_digits(std::uint32_t digits) {
  std::uint32_t mode = 0;
  for (std::uint32_t place = 1; digits != 0; digits /= 10, place *= 8) {
    if (digits % 10 > 7 || place > 64) return std::nullopt;
    mode += digits % 10 * place;
  }
  return mode;
}

Answer<std::uint32_t> mode_of(const PermissionBody& body, std::uint32_t absent) {
  for (const auto& owner : {body.owner, body.group}) {
    if (owner && !owner->empty()) {
      return refuse(501, "not_supported",
                    "owner and group: files of a sandbox have one owner here");
    }
  }
  if (!body.mode || *body.mode == 0) return absent;
  std::optional<std::uint32_t> mode = mode_from_digits(*body.mode);
  if (!mode) return refuse_value("/mode", "must be a number such as 644, up to 777");
  return *mode;
}

std::string whole_path(const model::File& file, const std::string& workspace) {
  if (file.path.starts_with('/')) return file.path;
  return file.path.empty() ? workspace : workspace + "/" + file.path;
}

boost::json::object file_view(const model::File& file, const std::string& path) {
  model::Time changed{std::chrono::milliseconds(file.mtime_ns / 1'000'000)};
  return {{"path", json_text(path)},
          {"type", kind_of(file.kind)},
          {"size", file.size},
          {"modified_at", rfc3339(changed)},
          {"created_at", rfc3339(changed)},
          {"owner", std::to_string(file.uid)},
          {"group", std::to_string(file.gid)},
          {"mode", mode_digits(file.mode)}};
}

std::string_view LineWindow::take(std::string_view piece) {
  while (skip_ > 0) {
    std::size_t end = piece.find('\n');
    if (end == piece.npos) return {};
    piece.remove_prefix(end + 1);
    --skip_;
  }
  std::size_t at = 0;
  while (left_ > 0 && at < piece.size()) {
    std::size_t end = piece.find('\n', at);
    if (end == piece.npos) return piece;
    at = end + 1;
    --left_;
  }
  return piece.substr(0, at);
}

}  // namespace atl::api::opensandbox
