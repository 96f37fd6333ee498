#include "api/rest/files.hpp"

#include <charconv>
#include <span>
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/rest/query.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

using http::Method;

// A cursor is the path of the last file of the page before, in hexadecimal digits.
Answer<std::string> query_cursor(const Call& call) {
  std::optional<std::string> path = from_hex(call.request().query_value("cursor"));
  if (!path) {
    return refuse(Code::kInvalidArgument,
                  "unknown cursor; use the next_cursor of an earlier answer");
  }
  return std::move(*path);
}

bodies::FileListBody page_view(const model::FilePage& page) {
  bodies::FileListBody body{.path = page.path,
                            .files = {},
                            .next_cursor = text_or_null(hex(page.next)),
                            .truncated = page.truncated};
  for (const model::File& file : page.files) body.files.push_back(file_view(file));
  return body;
}

Task<Answer<http::Response>> list_files(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"path", "depth", "glob", "contains", "limit", "cursor"}));
  control::ListFiles request{.path = std::string(call.request().query_value("path")),
                             .glob = std::string(call.request().query_value("glob")),
                             .contains = std::string(call.request().query_value("contains"))};
  ATOLL_CO_TRY(std::uint64_t depth, query_number(call, "depth", 1, 1, kMaxDepth));
  request.depth = static_cast<std::uint32_t>(depth);
  ATOLL_CO_TRY(request.limit, query_number(call, "limit", kMaxListing, 1, kMaxListing));
  ATOLL_CO_TRY(request.after, query_cursor(call));
  if (request.glob.size() > kMaxName || request.contains.size() > kMaxPath) {
    co_return refuse(Code::kInvalidArgument, "the search text is too long");
  }
  ATOLL_CO_TRY(model::FilePage page, co_await call.control().files().list(
                                         call.caller, call.session_id(), std::move(request)));
  co_return json_response(200, page_view(page));
}

// The body of a request.
class BodySource final : public control::ByteSource {
 public:
  explicit BodySource(const Call& call) : exchange_(call.exchange), limit_(call) {}

  Task<Result<std::optional<std::string>>> next() override {
    std::string buffer(kChunk, '\0');
    ATOLL_CO_TRY(std::size_t got, co_await exchange_->read_some(std::span(buffer)));
    if (got == 0) co_return std::nullopt;
    ATOLL_CO_CHECK(limit_.take(got));
    buffer.resize(got);
    co_return buffer;
  }

 private:
  http::Exchange* exchange_;
  UploadLimit limit_;
};

Task<Answer<http::Response>> put_file(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"mode"}));
  control::WriteFile request{.path = call.request().capture("name")};
  ATOLL_CO_TRY(request.mode, query_mode(call));
  BodySource body(call);
  ATOLL_CO_TRY(control::WrittenFile written,
               co_await call.control().files().write(call.caller, call.session_id(),
                                                     std::move(request), &body));
  co_return json_response(written.is_new ? 201 : 200, file_view(written.file));
}

Task<Answer<http::Response>> delete_file(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"recursive"}));
  ATOLL_CO_TRY(bool recursive, query_flag(call, "recursive", false));
  ATOLL_CO_CHECK(co_await call.control().files().remove(call.caller, call.session_id(),
                                                        call.request().capture("name"), recursive));
  co_return no_content();
}

}  // namespace

Result<void> UploadLimit::take(std::uint64_t bytes) {
  if (bytes <= left_) {
    left_ -= bytes;
    return {};
  }
  return fail(Code::kTooLarge, "the upload is larger than server.limits.upload_bytes");
}

std::optional<std::uint32_t> parse_mode(std::string_view text) {
  std::uint32_t mode = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc() || end != text.data() + text.size() || mode > 0777) return std::nullopt;
  return mode;
}

Answer<std::uint32_t> query_mode(const Call& call) {
  auto text = call.request().find_query("mode");
  if (!text) return 0644;
  std::optional<std::uint32_t> mode = parse_mode(*text);
  if (!mode) return refuse(Code::kInvalidArgument, "mode is octal, as in 0644, up to 0777");
  return *mode;
}

void add_files(Routes& routes) {
  routes.add(Method::kGet, "/sessions/{id}/files", "listFiles", Access::kReader, list_files);
  routes.add(Method::kPost, "/sessions/{id}/files/upload", "uploadFiles", Access::kWriter,
             upload_files);
  routes.add(Method::kPost, "/sessions/{id}/files/mkdir", "makeFolder", Access::kWriter,
             make_folder);
  routes.add(Method::kPost, "/sessions/{id}/files/links", "makeLinks", Access::kWriter, make_links);
  routes.add(Method::kPost, "/sessions/{id}/files/move", "moveFile", Access::kWriter, move_file);
  routes.add(Method::kPost, "/sessions/{id}/files/replace", "replaceText", Access::kWriter,
             replace_text);
  routes.add(Method::kPost, "/sessions/{id}/files/chmod", "changeFileMode", Access::kWriter,
             change_mode);
  routes.add(Method::kGet, "/sessions/{id}/files/watch", "watchFiles", Access::kReader,
             watch_files);
  routes.add(Method::kGet, "/sessions/{id}/files/{name...}", "downloadFile", Access::kReader,
             download_file);
  routes.add(Method::kPut, "/sessions/{id}/files/{name...}", "putFile", Access::kWriter, put_file);
  routes.add(Method::kDelete, "/sessions/{id}/files/{name...}", "deleteFile", Access::kWriter,
             delete_file);
}

}  // namespace atl::api::rest
