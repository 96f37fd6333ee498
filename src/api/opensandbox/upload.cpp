// POST /files/upload: multipart/form-data with pairs of parts, `metadata` (JSON with the path) and
// `file`. Each file becomes visible when its last byte is there; memory does not grow with its
// size.
#include <span>
#include <utility>

#include "api/common/limits.hpp"
#include "api/opensandbox/file_view.hpp"
#include "api/opensandbox/files.hpp"
#include "http/multipart.hpp"

namespace atl::api::opensandbox {

namespace {

using http::MultipartEvent;

constexpr std::size_t kMaxPart = 64u << 10;  // of metadata

struct Parts {
  control::Upload upload;
  bool is_metadata = false;
  bool has_path = false;  // metadata came, and its file has not
  std::string metadata;
  std::string path;
};

Task<Answer<void>> begin_part(Parts* parts, std::string name) {
  parts->is_metadata = name == "metadata";
  if (parts->is_metadata) {
    parts->metadata.clear();
    co_return Answer<void>();
  }
  if (name != "file") co_return refuse(Code::kInvalidArgument, "unknown part `" + name + "`");
  if (!std::exchange(parts->has_path, false)) {
    co_return refuse(Code::kInvalidArgument, "a part `file` has no `metadata` before it");
  }
  ATOLL_CO_CHECK(co_await parts->upload.begin(std::move(parts->path)));
  co_return Answer<void>();
}

Task<Answer<void>> take_data(Parts* parts, std::string data) {
  if (!parts->is_metadata) {
    ATOLL_CO_CHECK(co_await parts->upload.write(std::move(data)));
    co_return Answer<void>();
  }
  parts->metadata += data;
  if (parts->metadata.size() > kMaxPart) {
    co_return refuse(Code::kTooLarge, "the part `metadata` is too long");
  }
  co_return Answer<void>();
}

Task<Answer<void>> end_part(Parts* parts) {
  if (!parts->is_metadata) {
    ATOLL_CO_CHECK(co_await parts->upload.finish());
    co_return Answer<void>();
  }
  ATOLL_CO_TRY(PermissionBody body, decode_body<PermissionBody>(parts->metadata));
  if (!body.path || body.path->empty()) co_return refuse_field("/path", "is required");
  ATOLL_CO_TRY(std::uint32_t mode, mode_of(body, 0644));
  parts->upload.set_mode(mode);
  parts->path = std::move(*body.path);
  parts->has_path = true;
  co_return Answer<void>();
}

Task<Answer<void>> take_events(Parts* parts, http::MultipartParser* parser) {
  for (;;) {
    ATOLL_CO_TRY(MultipartEvent event, parser->next());
    switch (event.kind) {
      case MultipartEvent::Kind::kNeedMore:
      case MultipartEvent::Kind::kEnd: co_return Answer<void>();
      case MultipartEvent::Kind::kPartBegin:
        ATOLL_CO_CHECK(co_await begin_part(parts, event.name));
        break;
      case MultipartEvent::Kind::kData:
        ATOLL_CO_CHECK(co_await take_data(parts, std::string(event.data)));
        break;
      case MultipartEvent::Kind::kPartEnd: ATOLL_CO_CHECK(co_await end_part(parts)); break;
    }
  }
}

}  // namespace

Task<Answer<http::Response>> upload_files(Call call) {
  auto boundary = http::multipart_boundary(call.request().headers.get("content-type"));
  if (!boundary) {
    co_return refuse(415, "unsupported_media_type", "an upload is multipart/form-data");
  }
  ATOLL_CO_TRY(control::Upload upload,
               co_await call.control().files().upload(call.caller, call.session_id(), {}));
  Parts parts{.upload = std::move(upload)};
  http::MultipartParser parser(*boundary);
  std::string buffer(kChunk, '\0');
  std::uint64_t left = call.shared->options.upload_bytes;
  for (;;) {
    ATOLL_CO_TRY(std::size_t got, co_await call.exchange->read_some(std::span(buffer)));
    if (got == 0) break;
    if (got > left) {
      co_return refuse(Code::kTooLarge, "the upload is larger than server.limits.upload_bytes");
    }
    left -= got;
    parser.feed(std::string_view(buffer).substr(0, got));
    ATOLL_CO_CHECK(co_await take_events(&parts, &parser));
  }
  ATOLL_CO_CHECK(parser.finish());
  if (parts.has_path) co_return refuse(Code::kInvalidArgument, "a `metadata` has no `file`");
  co_return empty_response(200);
}

}  // namespace atl::api::opensandbox
