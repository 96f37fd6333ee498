// GET /sessions/{id}/files/{name}: a file, or a part of it, or a folder as a tar archive, as it is
// read.
#include <memory>
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/range.hpp"
#include "api/common/text.hpp"
#include "api/rest/files.hpp"
#include "api/rest/views.hpp"
#include "http/uri.hpp"

namespace atl::api::rest {

namespace {

using model::File;

std::string disposition(const std::string& path, std::string_view suffix) {
  std::string name = path.substr(path.rfind('/') + 1) + std::string(suffix);
  return "attachment; filename*=UTF-8''" + http::percent_encode(name);
}

std::string etag_of(const File& info) {
  return "\"" + std::to_string(info.mtime_ns) + "-" + std::to_string(info.size) + "\"";
}

Task<Result<void>> send(http::Exchange* exchange, control::ByteSource* source) {
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> piece, co_await source->next());
    if (!piece) co_return co_await exchange->finish();
    ATOLL_CO_CHECK(co_await exchange->write(*piece));
  }
}

Task<Answer<void>> send_file(Call call, control::OpenedFile* file) {
  const File& info = file->info();
  const http::Headers& asked = call.request().headers;
  std::string etag = etag_of(info);
  http::Headers headers{{"Content-Type", "application/octet-stream"},
                        {"Content-Disposition", disposition(info.path, "")},
                        {"X-Content-Type-Options", "nosniff"},
                        {"Accept-Ranges", "bytes"},
                        {"ETag", etag}};
  headers.add("Last-Modified",
              http_date(model::Time(std::chrono::milliseconds(info.mtime_ns / 1'000'000))));
  headers.add("X-Atoll-Mode", octal_mode(info.mode));
  auto condition = asked.find("if-range");
  bool whole = condition && *condition != etag;
  ByteRange range = whole ? ByteRange() : parse_range(asked.get("range"), info.size);
  if (range.kind == ByteRange::Kind::kUnsatisfiable) {
    http::Response refused =
        Refusal(416, "range_not_satisfiable", "the range lies outside of the file")
            .response(call.request().id);
    refused.headers.add("Content-Range", "bytes */" + std::to_string(info.size));
    (void)co_await call.exchange->respond(std::move(refused));
    co_return Answer<void>();
  }
  bool part = range.kind == ByteRange::Kind::kPart;
  std::uint64_t length = part ? range.length() : info.size;
  if (part) {
    headers.add("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                     std::to_string(range.last) + "/" + std::to_string(info.size));
  }
  std::unique_ptr<control::ByteSource> content;
  bool only_head = call.request().method == http::Method::kHead;
  if (!only_head) {
    ATOLL_CO_TRY(content, co_await file->content(range.first, length));
  }
  ATOLL_CO_CHECK(co_await call.exchange->begin(part ? 206 : 200, std::move(headers), length));
  if (only_head) {
    (void)co_await call.exchange->finish();
  } else {
    (void)co_await send(call.exchange, content.get());
  }
  co_return Answer<void>();
}

Task<Answer<void>> send_folder(Call call, control::OpenedFile* folder) {
  const std::string& path = folder->info().path;
  http::Headers headers{
      {"Content-Type", "application/x-tar"},
      {"Content-Disposition", disposition(path.empty() ? "workspace" : path, ".tar")}};
  ATOLL_CO_TRY(std::unique_ptr<control::ByteSource> archive, co_await folder->archive());
  ATOLL_CO_CHECK(co_await call.exchange->begin(200, std::move(headers)));
  if (call.request().method == http::Method::kHead) {
    (void)co_await call.exchange->finish();
  } else {
    ATOLL_CO_CHECK(co_await send(call.exchange, archive.get()));
  }
  co_return Answer<void>();
}

}  // namespace

Task<Answer<void>> download_file(Call call) {
  ATOLL_CO_TRY(control::OpenedFile file,
               co_await call.control().files().open(call.caller, call.session_id(),
                                                    call.request().capture("name")));
  bool is_folder = file.info().kind == File::Kind::kDirectory;
  co_return co_await (is_folder ? send_folder(call, &file) : send_file(call, &file));
}

}  // namespace atl::api::rest
