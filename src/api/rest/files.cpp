#include "api/rest/files.hpp"

#include <algorithm>
#include <charconv>

#include <boost/json/array.hpp>

#include "api/limits.hpp"
#include "api/rest/routes.hpp"
#include "api/rest/views.hpp"
#include "api/text.hpp"
#include "base/fault.hpp"
#include "control/box_path.hpp"

namespace atl::api::rest {

namespace {

using http::Method;
using model::AuditAction;

// A cursor is the path of the last file of the page before, in hexadecimal digits.
Answer<std::string> query_cursor(const Call& call) {
  std::optional<std::string> path = from_hex(call.request().query_value("cursor"));
  if (!path) return refuse(Code::kInvalidArgument, "the query parameter `cursor` is none of ours");
  return std::move(*path);
}

// The page behind `after`, by path.
object page_view(std::vector<sandbox::FileInfo> files, const Place& place, const std::string& after,
                 std::size_t limit) {
  bool truncated = files.size() > kMaxLooked;
  std::erase_if(files, [&](const sandbox::FileInfo& file) { return file.path <= after; });
  std::ranges::sort(files, {}, &sandbox::FileInfo::path);
  boost::json::value next;
  if (files.size() > limit) {
    files.resize(limit);
    next = hex(files.back().path);
    truncated = true;
  }
  boost::json::array all;
  for (sandbox::FileInfo& file : files) {
    file.path = place.path + "/" + file.path;
    all.push_back(file_view(file, place.workspace));
  }
  return {{"path", json_text(control::shown_path(place.path, place.workspace))},
          {"files", std::move(all)},
          {"next_cursor", std::move(next)},
          {"truncated", truncated}};
}

// With `glob` or `contains` a search through everything below, otherwise a listing.
Task<Answer<http::Response>> list_files(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"path", "depth", "glob", "contains", "limit", "cursor"}));
  ATOLL_CO_TRY(std::uint64_t depth, query_number(call, "depth", 1, 1, kMaxDepth));
  ATOLL_CO_TRY(std::uint64_t limit, query_number(call, "limit", kMaxListing, 1, kMaxListing));
  ATOLL_CO_TRY(std::string after, query_cursor(call));
  std::string glob(call.request().query_value("glob"));
  std::string contains(call.request().query_value("contains"));
  if (glob.size() > kMaxName || contains.size() > kMaxPath) {
    co_return refuse(Code::kInvalidArgument, "what is looked for is too long");
  }
  ATOLL_CO_TRY(Place place,
               co_await open_place(call, std::string(call.request().query_value("path"))));
  std::vector<sandbox::FileInfo> files;
  if (glob.empty() && contains.empty()) {
    ATOLL_CO_TRY(files, co_await place.sandbox().list(place.path, static_cast<std::uint32_t>(depth),
                                                      kMaxLooked + 1));
  } else {
    guest::SearchArgs search{.root = place.path,
                             .name_glob = std::move(glob),
                             .contains = std::move(contains),
                             .max_results = kMaxLooked + 1};
    ATOLL_CO_TRY(files, co_await place.sandbox().search(std::move(search)));
  }
  co_return json_response(200, page_view(std::move(files), place, after, limit));
}

Task<Answer<void>> receive(Call call, sandbox::ByteStream* into) {
  std::string buffer(kChunk, '\0');
  UploadLimit limit(call);
  for (;;) {
    ATOLL_CO_TRY(std::size_t got, co_await call.exchange->read_some(std::span(buffer)));
    if (got == 0) break;
    ATOLL_CO_CHECK(limit.take(got));
    ATOLL_CO_CHECK(co_await into->write(buffer.substr(0, got)));
    fault::here("upload.data");
  }
  ATOLL_CO_CHECK(co_await into->finish());
  fault::here("upload.finished");
  co_return Answer<void>();
}

// Visible only once the last byte is there.
Task<Answer<http::Response>> put_file(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"mode"}));
  ATOLL_CO_TRY(std::uint32_t mode, query_mode(call));
  ATOLL_CO_TRY(Place place, co_await open_place(call, call.request().capture("name")));
  if (place.is_workspace()) co_return refuse(Code::kInvalidArgument, "a file needs a name");
  bool is_new = !co_await place.sandbox().stat(place.path);
  ATOLL_CO_TRY(std::unique_ptr<sandbox::ByteStream> stream,
               co_await place.sandbox().put_file(place.path, mode));
  fault::here("upload.begun");
  ATOLL_CO_CHECK(co_await receive(call, stream.get()));
  record(call, AuditAction::kFileWritten, control::shown_path(place.path, place.workspace));
  ATOLL_CO_TRY(sandbox::FileInfo info, co_await place.sandbox().stat(place.path));
  info.path = place.path;
  co_return json_response(is_new ? 201 : 200, file_view(info, place.workspace));
}

Task<Answer<http::Response>> delete_file(Call call) {
  ATOLL_CO_CHECK(known_query(call, {"recursive"}));
  ATOLL_CO_TRY(bool recursive, query_flag(call, "recursive", false));
  ATOLL_CO_TRY(Place place, co_await open_place(call, call.request().capture("name")));
  if (place.is_workspace() || place.path == "/tmp") {
    co_return refuse(Code::kInvalidArgument, "this folder belongs to the session");
  }
  ATOLL_CO_CHECK(co_await place.sandbox().remove(place.path, recursive));
  record(call, AuditAction::kFileRemoved, control::shown_path(place.path, place.workspace));
  co_return no_content();
}

}  // namespace

Task<Answer<Place>> open_place(Call call, std::string name) {
  ATOLL_CO_TRY(control::Use use,
               co_await call.control().sessions().use(call.caller, call.session_id()));
  std::string workspace = use.sandbox().workspace();
  ATOLL_CO_TRY(std::string path, control::box_path(name, workspace));
  co_return Place{std::move(use), std::move(workspace), std::move(path)};
}

Answer<void> UploadLimit::take(std::uint64_t bytes) {
  if (bytes <= left_) {
    left_ -= bytes;
    return {};
  }
  return refuse(Code::kTooLarge, "the upload is larger than server.limits.upload_bytes");
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
  routes.add(Method::kGet, "/sessions/{id}/files", "listFiles", list_files);
  routes.add(Method::kPost, "/sessions/{id}/files/upload", "uploadFiles", upload_files);
  routes.add(Method::kPost, "/sessions/{id}/files/mkdir", "makeFolder", make_folder);
  routes.add(Method::kPost, "/sessions/{id}/files/move", "moveFile", move_file);
  routes.add(Method::kPost, "/sessions/{id}/files/chmod", "changeFileMode", change_mode);
  routes.add(Method::kGet, "/sessions/{id}/files/watch", "watchFiles", watch_files);
  routes.add(Method::kGet, "/sessions/{id}/files/{name...}", "downloadFile", download_file);
  routes.add(Method::kPut, "/sessions/{id}/files/{name...}", "putFile", put_file);
  routes.add(Method::kDelete, "/sessions/{id}/files/{name...}", "deleteFile", delete_file);
}

}  // namespace atl::api::rest
