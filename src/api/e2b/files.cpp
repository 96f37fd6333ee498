// GET and POST /files of envd: a download, and one or more uploads, as multipart/form-data or as
// they are. Each file becomes visible when its last byte is there; memory does not grow with it.
#include <memory>
#include <span>
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/range.hpp"
#include "api/common/text.hpp"
#include "api/e2b/call.hpp"
#include "api/e2b/paths.hpp"
#include "api/e2b/rpc.hpp"
#include "http/multipart.hpp"
#include "http/uri.hpp"

namespace atl::api::e2b {

namespace {

using http::MultipartEvent;
using Kind = model::File::Kind;

Answer<void> check_request(const Call& call) {
  const http::Request& request = call.request();
  ATOLL_CHECK(check_user(request));
  ATOLL_CHECK(check_user(request.query_value("username")));
  if (request.query_value("path").size() > kMaxPath) {
    return refuse(Code::kInvalidArgument, "the path is too long");
  }
  return {};
}

object written_view(const std::string& shown) {
  return {{"name", json_text(shown.substr(shown.rfind('/') + 1))},
          {"type", "file"},
          {"path", json_text(shown)}};
}

Task<Result<void>> send(http::Exchange* exchange, control::ByteSource* source) {
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> piece, co_await source->next());
    if (!piece) co_return co_await exchange->finish();
    ATOLL_CO_CHECK(co_await exchange->write(*piece));
  }
}

Task<Answer<void>> download(Call call) {
  ATOLL_CO_CHECK(check_request(call));
  const http::Request& request = call.request();
  ClientPath path = client_path(request.query_value("path"));
  ATOLL_CO_TRY(control::OpenedFile file,
               co_await call.control().files().open(call.caller, call.sandbox, path.inside));
  std::string shown = path.shown(file.info().path);
  if (file.info().kind == Kind::kDirectory) {
    co_return refuse(Code::kInvalidArgument, "path '" + shown + "' is a directory");
  }
  std::uint64_t size = file.info().size;
  ByteRange range = parse_range(request.headers.get("range"), size);
  http::Headers headers{{"Content-Type", "application/octet-stream"}, {"Accept-Ranges", "bytes"}};
  std::string name = shown.substr(shown.rfind('/') + 1);
  headers.add("Content-Disposition", "inline; filename*=UTF-8''" + http::percent_encode(name));
  if (range.kind == ByteRange::Kind::kUnsatisfiable) {
    co_return refuse(416, "range_not_satisfiable", "the range lies outside of the file");
  }
  bool part = range.kind == ByteRange::Kind::kPart;
  std::uint64_t length = part ? range.length() : size;
  if (part) {
    headers.add("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                     std::to_string(range.last) + "/" + std::to_string(size));
  }
  ATOLL_CO_TRY(std::unique_ptr<control::ByteSource> content,
               co_await file.content(range.first, length));
  ATOLL_CO_CHECK(co_await call.exchange->begin(part ? 206 : 200, std::move(headers), length));
  if (request.method == Method::kHead) {
    (void)co_await call.exchange->finish();
  } else {
    (void)co_await send(call.exchange, content.get());
  }
  co_return Answer<void>();
}

// The bytes of a body, counted.
class Body final : public control::ByteSource {
 public:
  explicit Body(const Call& call)
      : exchange_(call.exchange), left_(call.e2b->options.common.upload_bytes) {}

  Task<Result<std::optional<std::string>>> next() override {
    std::string buffer(kChunk, '\0');
    ATOLL_CO_TRY(std::size_t got, co_await exchange_->read_some(std::span(buffer)));
    if (got == 0) co_return std::nullopt;
    if (got > left_) {
      co_return fail(Code::kTooLarge, "the upload is larger than server.limits.upload_bytes");
    }
    left_ -= got;
    buffer.resize(got);
    co_return buffer;
  }

 private:
  http::Exchange* exchange_;
  std::uint64_t left_;
};

// Which file a part is: the path of the query, or else its file name.
struct Parts {
  control::Upload upload;
  std::string given;  // the path of the query
  ClientPath path;    // of the part that comes
  bool is_file = false;
  array written;
};

Task<Answer<void>> take(Parts* parts, const MultipartEvent* event) {
  switch (event->kind) {
    case MultipartEvent::Kind::kNeedMore:
    case MultipartEvent::Kind::kEnd: break;
    case MultipartEvent::Kind::kPartBegin: {
      parts->is_file = event->name == "file";
      if (!parts->is_file) break;
      std::string name = parts->given.empty() ? event->filename.value_or("") : parts->given;
      if (name.empty()) co_return refuse(Code::kInvalidArgument, "a part has no file name");
      parts->path = client_path(name);
      ATOLL_CO_CHECK(co_await parts->upload.begin(parts->path.inside));
      break;
    }
    case MultipartEvent::Kind::kData:
      if (parts->is_file) {
        ATOLL_CO_CHECK(co_await parts->upload.write(std::string(event->data)));
      }
      break;
    case MultipartEvent::Kind::kPartEnd:
      if (parts->is_file) {
        ATOLL_CO_TRY(model::File file, co_await parts->upload.finish());
        parts->written.push_back(written_view(parts->path.shown(file.path)));
      }
      break;
  }
  co_return Answer<void>();
}

Task<Answer<http::Response>> upload_parts(Call call, std::string boundary) {
  ATOLL_CO_TRY(control::Upload upload,
               co_await call.control().files().upload(call.caller, call.sandbox, {}));
  Parts parts{.upload = std::move(upload),
              .given = std::string(call.request().query_value("path")),
              .path = {},
              .is_file = false,
              .written = {}};
  http::MultipartParser parser(boundary);
  Body body(call);
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> piece, co_await body.next());
    if (!piece) break;
    parser.feed(*piece);
    for (;;) {
      ATOLL_CO_TRY(MultipartEvent event, parser.next());
      bool waits =
          event.kind == MultipartEvent::Kind::kNeedMore || event.kind == MultipartEvent::Kind::kEnd;
      if (waits) break;
      ATOLL_CO_CHECK(co_await take(&parts, &event));
    }
  }
  ATOLL_CO_CHECK(parser.finish());
  if (parts.written.empty()) {
    co_return refuse(Code::kInvalidArgument, "the upload has no part named `file`");
  }
  co_return json_response(200, std::move(parts.written));
}

Task<Answer<http::Response>> upload_whole(Call call) {
  std::string name(call.request().query_value("path"));
  if (name.empty())
    co_return refuse(Code::kInvalidArgument, "the query parameter path is required");
  ClientPath path = client_path(name);
  Body body(call);
  ATOLL_CO_TRY(control::WrittenFile written,
               co_await call.control().files().write(call.caller, call.sandbox,
                                                     {.path = path.inside}, &body));
  array all;
  all.push_back(written_view(path.shown(written.file.path)));
  co_return json_response(200, std::move(all));
}

Task<Answer<http::Response>> upload(Call call) {
  ATOLL_CO_CHECK(check_request(call));
  const http::Headers& headers = call.request().headers;
  for (const auto& [name, text] : headers) {
    if (name.size() > 11 && http::same_name(std::string_view(name).substr(0, 11), "x-metadata-")) {
      co_return refuse(501, "not_implemented", "metadata of files is not supported");
    }
  }
  std::string_view encoding = headers.get("content-encoding");
  if (!encoding.empty() && encoding != "identity") {
    co_return refuse(415, "unsupported_media_type", "compressed uploads are not supported");
  }
  auto boundary = http::multipart_boundary(headers.get("content-type"));
  if (boundary) co_return co_await upload_parts(std::move(call), std::move(*boundary));
  if (boundary.error().code() != Code::kUnsupported) {
    co_return std::unexpected<Refusal>(boundary.error());
  }
  co_return co_await upload_whole(std::move(call));
}

Task<Answer<http::Response>> compose(Call) {
  co_return refuse(501, "not_implemented", "files cannot be composed here");
}

}  // namespace

void add_files(Routes& routes) {
  routes.add(Method::kGet, "/files", "e2bDownload", Access::kReader, download);
  routes.add(Method::kPost, "/files", "e2bUpload", Access::kWriter, upload);
  routes.add(Method::kPost, "/files/compose", "e2bCompose", Access::kWriter, compose);
}

}  // namespace atl::api::e2b
