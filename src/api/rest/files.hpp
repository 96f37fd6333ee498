// Files of a session: endpoints, and what uploads and downloads have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/rest/call.hpp"

namespace atl::api::rest {

// POST …/files/upload, also as an alias.
Task<Answer<http::Response>> upload_files(Call call);
// GET …/files/{name...}, also as an alias.
Task<Answer<void>> download_file(Call call);
Task<Answer<void>> watch_files(Call call);
// POST …/files/mkdir, …/files/links, …/files/move and …/files/chmod.
Task<Answer<http::Response>> make_folder(Call call);
Task<Answer<http::Response>> make_links(Call call);
Task<Answer<http::Response>> move_file(Call call);
Task<Answer<http::Response>> replace_text(Call call);
Task<Answer<http::Response>> change_mode(Call call);

// Counts what a request brings; kTooLarge beyond what is configured.
class UploadLimit {
 public:
  explicit UploadLimit(const Call& call) : left_(call.rest->options.upload_bytes) {}
  Result<void> take(std::uint64_t bytes);

 private:
  std::uint64_t left_;
};

// "0755", up to 0777.
std::optional<std::uint32_t> parse_mode(std::string_view text);
// The same in the query; 0644 when it is absent.
Answer<std::uint32_t> query_mode(const Call& call);

}  // namespace atl::api::rest
