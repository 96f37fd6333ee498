// GET /files/download: a file, a range of its bytes, or some of its lines.
#include <memory>
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/range.hpp"
#include "api/opensandbox/errors.hpp"
#include "api/opensandbox/file_view.hpp"
#include "api/opensandbox/files.hpp"
#include "http/uri.hpp"

namespace atl::api::opensandbox {

namespace {

constexpr std::uint64_t kMostLines = 1ull << 40;

Task<Result<void>> send_all(http::Exchange* exchange, control::ByteSource* source) {
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> piece, co_await source->next());
    if (!piece) co_return co_await exchange->finish();
    ATOLL_CO_CHECK(co_await exchange->write(*piece));
  }
}

Task<Result<void>> send_lines(http::Exchange* exchange, control::ByteSource* source,
                              LineWindow lines) {
  while (!lines.done()) {
    ATOLL_CO_TRY(std::optional<std::string> piece, co_await source->next());
    if (!piece) break;
    std::string_view within = lines.take(*piece);
    if (!within.empty()) ATOLL_CO_CHECK(co_await exchange->write(within));
  }
  co_return co_await exchange->finish();
}

Task<Answer<void>> download_lines(Call call, control::OpenedFile* file) {
  ATOLL_CO_TRY(std::uint64_t first, query_number(call, "offset", 1, 1, kMostLines));
  ATOLL_CO_TRY(std::uint64_t count, query_number(call, "limit", kMostLines, 1, kMostLines));
  ATOLL_CO_TRY(std::unique_ptr<control::ByteSource> content,
               co_await file->content(0, file->info().size));
  http::Headers headers{{"Content-Type", "text/plain; charset=utf-8"}};
  ATOLL_CO_CHECK(co_await call.exchange->begin(200, std::move(headers)));
  (void)co_await send_lines(call.exchange, content.get(), LineWindow(first, count));
  co_return Answer<void>();
}

Task<Answer<void>> respond_unsatisfiable(Call call, std::uint64_t size) {
  http::Response refused = render(
      Refusal(416, "range_not_satisfiable", "the range lies outside of the file"), call.request());
  refused.headers.add("Content-Range", "bytes */" + std::to_string(size));
  (void)co_await call.exchange->respond(std::move(refused));
  co_return Answer<void>();
}

}  // namespace

Task<Answer<void>> download_file(Call call) {
  ATOLL_CO_TRY(std::vector<std::string> paths, query_all(call, "path"));
  ATOLL_CO_TRY(control::OpenedFile file,
               co_await call.control().files().open(call.caller, call.session_id(), paths[0]));
  const model::File& info = file.info();
  if (info.kind != model::File::Kind::kFile) {
    co_return refuse(Code::kInvalidArgument, "this is not a regular file");
  }
  const http::Request& request = call.request();
  if (request.find_query("offset") || request.find_query("limit")) {
    co_return co_await download_lines(std::move(call), &file);
  }
  ByteRange range = parse_range(request.headers.get("range"), info.size);
  if (range.kind == ByteRange::Kind::kUnsatisfiable) {
    co_return co_await respond_unsatisfiable(std::move(call), info.size);
  }
  bool part = range.kind == ByteRange::Kind::kPart;
  std::uint64_t length = part ? range.length() : info.size;
  std::string name = info.path.substr(info.path.rfind('/') + 1);
  http::Headers headers{{"Content-Type", "application/octet-stream"}, {"Accept-Ranges", "bytes"}};
  headers.add("Content-Disposition", "attachment; filename*=UTF-8''" + http::percent_encode(name));
  if (part) {
    headers.add("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                     std::to_string(range.last) + "/" + std::to_string(info.size));
  }
  ATOLL_CO_TRY(std::unique_ptr<control::ByteSource> content,
               co_await file.content(range.first, length));
  ATOLL_CO_CHECK(co_await call.exchange->begin(part ? 206 : 200, std::move(headers), length));
  (void)co_await send_all(call.exchange, content.get());
  co_return Answer<void>();
}

}  // namespace atl::api::opensandbox
