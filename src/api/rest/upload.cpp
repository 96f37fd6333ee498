// POST /sessions/{id}/files/upload: multipart/form-data with any number of files. Each becomes
// visible when its last byte is there; memory does not grow with its size.
#include <span>
#include <utility>

#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/rest/files.hpp"
#include "api/rest/query.hpp"
#include "api/rest/views.hpp"
#include "http/multipart.hpp"

namespace atl::api::rest {

namespace {

using http::MultipartEvent;

// What the parts of one request are put into.
struct Parts {
  control::Upload upload;
  bool is_folder_field = false;  // the part is the field `path`
  std::string folder;            // its value
  boost::json::array files;
};

Task<Answer<void>> begin_part(Parts* parts, std::string name, std::optional<std::string> filename) {
  parts->is_folder_field = !filename && name == "path";
  if (parts->is_folder_field) {
    parts->folder.clear();
    co_return Answer<void>();
  }
  if (!filename || filename->empty()) {
    co_return refuse(Code::kInvalidArgument, "the part `" + name + "` has no file name");
  }
  ATOLL_CO_CHECK(co_await parts->upload.begin(std::move(*filename)));
  co_return Answer<void>();
}

Task<Answer<void>> take_data(Parts* parts, std::string data) {
  if (!parts->is_folder_field) {
    ATOLL_CO_CHECK(co_await parts->upload.write(std::move(data)));
    co_return Answer<void>();
  }
  parts->folder += data;
  if (parts->folder.size() > kMaxPath) {
    co_return refuse(Code::kInvalidArgument, "the path is too long");
  }
  co_return Answer<void>();
}

Task<Answer<void>> end_part(Parts* parts) {
  if (parts->is_folder_field) {
    ATOLL_CO_CHECK(parts->upload.set_folder(parts->folder));
    co_return Answer<void>();
  }
  ATOLL_CO_TRY(model::File file, co_await parts->upload.finish());
  parts->files.push_back(object{{"name", json_text(file.path.substr(file.path.rfind('/') + 1))},
                                {"path", json_text(file.path)},
                                {"size", file.size}});
  co_return Answer<void>();
}

Task<Answer<void>> take_events(Parts* parts, http::MultipartParser* parser) {
  for (;;) {
    ATOLL_CO_TRY(MultipartEvent event, parser->next());
    switch (event.kind) {
      case MultipartEvent::Kind::kNeedMore:
      case MultipartEvent::Kind::kEnd: co_return Answer<void>();
      case MultipartEvent::Kind::kPartBegin:
        ATOLL_CO_CHECK(co_await begin_part(parts, event.name, event.filename));
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
  ATOLL_CO_CHECK(known_query(call, {"path", "mode"}));
  auto boundary = http::multipart_boundary(call.request().headers.get("content-type"));
  if (!boundary) {
    co_return refuse(415, "unsupported_media_type", "an upload is multipart/form-data");
  }
  control::UploadFiles request{.folder = std::string(call.request().query_value("path"))};
  ATOLL_CO_TRY(request.mode, query_mode(call));
  ATOLL_CO_TRY(control::Upload upload, co_await call.control().files().upload(
                                           call.caller, call.session_id(), std::move(request)));
  Parts parts{.upload = std::move(upload)};
  http::MultipartParser parser(*boundary);
  std::string buffer(kChunk, '\0');
  UploadLimit limit(call);
  for (;;) {
    ATOLL_CO_TRY(std::size_t got, co_await call.exchange->read_some(std::span(buffer)));
    if (got == 0) break;
    ATOLL_CO_CHECK(limit.take(got));
    parser.feed(std::string_view(buffer).substr(0, got));
    ATOLL_CO_CHECK(co_await take_events(&parts, &parser));
  }
  ATOLL_CO_CHECK(parser.finish());
  co_return json_response(201, object{{"files", std::move(parts.files)}});
}

}  // namespace atl::api::rest
