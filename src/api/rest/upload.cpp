// POST /sessions/{id}/files/upload: multipart/form-data with any number of files. Each becomes
// visible when its last byte is there; memory does not grow with its size.
#include <memory>
#include <span>
#include <utility>

#include <boost/json/array.hpp>

#include "api/limits.hpp"
#include "api/rest/files.hpp"
#include "api/rest/views.hpp"
#include "base/fault.hpp"
#include "control/box_path.hpp"
#include "http/multipart.hpp"

namespace atl::api::rest {

namespace {

using http::MultipartEvent;

// What the parts of one request are put into.
struct Upload {
  Call call;
  Place place;         // the folder
  std::uint32_t mode;  // of every file
  std::string path;    // of the file that is being written
  std::unique_ptr<sandbox::ByteStream> stream;
  std::uint64_t size = 0;
  bool is_folder_field = false;  // the part is the field `path`
  std::string folder;            // its value
  boost::json::array files;
};
using UploadPtr = std::shared_ptr<Upload>;

Task<Answer<void>> begin_part(UploadPtr upload, std::string name,
                              std::optional<std::string> filename) {
  upload->is_folder_field = !filename && name == "path";
  if (upload->is_folder_field) {
    upload->folder.clear();
    co_return Answer<void>();
  }
  if (!filename || filename->empty()) {
    co_return refuse(Code::kInvalidArgument, "the part `" + name + "` has no file name");
  }
  std::string whole = *filename;
  // A folder, by the query or by a part before, holds names that are relative.
  if (!whole.starts_with('/')) whole = upload->place.path + "/" + whole;
  ATOLL_CO_TRY(upload->path, control::box_path(whole, upload->place.workspace));
  if (upload->path == upload->place.workspace || upload->path == upload->place.path) {
    co_return refuse(Code::kInvalidArgument, "a file needs a name");
  }
  upload->size = 0;
  ATOLL_CO_TRY(upload->stream,
               co_await upload->place.sandbox().put_file(upload->path, upload->mode));
  fault::here("upload.begun");
  co_return Answer<void>();
}

Task<Answer<void>> take_data(UploadPtr upload, std::string data) {
  if (upload->is_folder_field) {
    upload->folder += data;
    if (upload->folder.size() > kMaxPath) {
      co_return refuse(Code::kInvalidArgument, "the path is too long");
    }
    co_return Answer<void>();
  }
  upload->size += data.size();
  ATOLL_CO_CHECK(co_await upload->stream->write(std::move(data)));
  fault::here("upload.data");
  co_return Answer<void>();
}

Task<Answer<void>> end_part(UploadPtr upload) {
  if (upload->is_folder_field) {
    ATOLL_CO_TRY(upload->place.path, control::box_path(upload->folder, upload->place.workspace));
    co_return Answer<void>();
  }
  ATOLL_CO_CHECK(co_await upload->stream->finish());
  fault::here("upload.finished");
  upload->stream.reset();
  std::string shown = control::shown_path(upload->path, upload->place.workspace);
  record(upload->call, model::AuditAction::kFileWritten, shown);
  upload->files.push_back(object{{"name", json_text(shown.substr(shown.rfind('/') + 1))},
                                 {"path", json_text(shown)},
                                 {"size", upload->size}});
  co_return Answer<void>();
}

Task<Answer<void>> take_events(UploadPtr upload, http::MultipartParser* parser) {
  for (;;) {
    ATOLL_CO_TRY(MultipartEvent event, parser->next());
    switch (event.kind) {
      case MultipartEvent::Kind::kNeedMore:
      case MultipartEvent::Kind::kEnd: co_return Answer<void>();
      case MultipartEvent::Kind::kPartBegin:
        ATOLL_CO_CHECK(co_await begin_part(upload, event.name, event.filename));
        break;
      case MultipartEvent::Kind::kData:
        ATOLL_CO_CHECK(co_await take_data(upload, std::string(event.data)));
        break;
      case MultipartEvent::Kind::kPartEnd: ATOLL_CO_CHECK(co_await end_part(upload)); break;
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
  ATOLL_CO_TRY(std::uint32_t mode, query_mode(call));
  ATOLL_CO_TRY(Place place,
               co_await open_place(call, std::string(call.request().query_value("path"))));
  auto upload = std::make_shared<Upload>(call, std::move(place), mode);
  http::MultipartParser parser(*boundary);
  std::string buffer(kChunk, '\0');
  UploadLimit limit(call);
  for (;;) {
    ATOLL_CO_TRY(std::size_t got, co_await call.exchange->read_some(std::span(buffer)));
    if (got == 0) break;
    ATOLL_CO_CHECK(limit.take(got));
    parser.feed(std::string_view(buffer).substr(0, got));
    ATOLL_CO_CHECK(co_await take_events(upload, &parser));
  }
  ATOLL_CO_CHECK(parser.finish());
  co_return json_response(201, object{{"files", std::move(upload->files)}});
}

}  // namespace atl::api::rest
