// GET /sessions/{id}/files/{name}: a file, or a part of it, or a folder as a tar archive, as it is
// read.
#include <algorithm>
#include <memory>
#include <utility>

#include "api/limits.hpp"
#include "api/range.hpp"
#include "api/rest/files.hpp"
#include "api/rest/views.hpp"
#include "api/tar.hpp"
#include "api/text.hpp"
#include "guest/pack.hpp"
#include "http/uri.hpp"

namespace atl::api::rest {

namespace {

using guest::PackReader;
using sandbox::ByteStream;
using sandbox::FileInfo;

constexpr int kMaxLinks = 16;

// What a name stands for, links followed; the sandbox sees to it that they lead nowhere else.
Task<Answer<FileInfo>> look_up(sandbox::Sandbox* box, std::string path) {
  for (int hops = 0; hops < kMaxLinks; ++hops) {
    ATOLL_CO_TRY(FileInfo info, co_await box->stat(path));
    if (info.kind != FileInfo::kSymlink) {
      info.path = std::move(path);
      co_return info;
    }
    bool absolute = info.target.starts_with('/');
    path = absolute ? info.target : path.substr(0, path.rfind('/') + 1) + info.target;
  }
  co_return refuse(Code::kConflict, "too many links");
}

std::string disposition(const std::string& path, std::string_view suffix) {
  std::string name = path.substr(path.rfind('/') + 1) + std::string(suffix);
  return "attachment; filename*=UTF-8''" + http::percent_encode(name);
}

std::string etag_of(const FileInfo& info) {
  return "\"" + std::to_string(info.mtime_ns) + "-" + std::to_string(info.size) + "\"";
}

Task<Result<void>> send_part(http::Exchange* exchange, ByteStream* stream, std::uint64_t length) {
  while (length > 0) {
    ATOLL_CO_TRY(std::string bytes, co_await stream->read());
    if (bytes.empty()) co_return fail(Code::kIo, "the file ended too early");
    std::string_view part = bytes;
    part = part.substr(0, std::min<std::uint64_t>(length, part.size()));
    length -= part.size();
    ATOLL_CO_CHECK(co_await exchange->write(part));
  }
  co_return co_await exchange->finish();
}

Task<Answer<void>> send_file(Call call, Place* place, FileInfo info) {
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
    http::Response refused = Refusal(416, "range_not_satisfiable", "the file has no such bytes")
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
  std::unique_ptr<ByteStream> stream;
  bool only_head = call.request().method == http::Method::kHead;
  if (!only_head) {
    ATOLL_CO_TRY(stream, co_await place->sandbox().get_file(info.path, range.first, length));
  }
  ATOLL_CO_CHECK(co_await call.exchange->begin(part ? 206 : 200, std::move(headers), length));
  if (only_head) length = 0;
  if (length == 0) {
    (void)co_await call.exchange->finish();
  } else {
    (void)co_await send_part(call.exchange, stream.get(), length);
  }
  co_return Answer<void>();
}

TarEntry tar_entry(const guest::PackEntry& entry) {
  TarEntry out{.name = entry.path,
               .mode = entry.mode,
               .size = entry.size,
               .mtime = entry.mtime_ns / 1'000'000'000,
               .link_target = entry.target};
  if (entry.kind == FileInfo::kDirectory) out.kind = TarEntry::Kind::kDirectory;
  if (entry.kind == FileInfo::kSymlink) out.kind = TarEntry::Kind::kSymlink;
  return out;
}

// Turns what `bytes` hold of a pack into tar; small pieces go out together.
Task<Result<void>> send_tar_of(http::Exchange* exchange, PackReader* reader, std::string bytes) {
  std::string_view input = bytes;
  std::string out;
  for (;;) {
    ATOLL_CO_TRY(PackReader::Event event, reader->next(input));
    if (event == PackReader::Event::kMore || event == PackReader::Event::kEnd) break;
    if (event == PackReader::Event::kEntry) out += tar_header(tar_entry(reader->entry()));
    if (event == PackReader::Event::kContent) out += reader->content();
    if (event == PackReader::Event::kDone) out += tar_padding(reader->entry().size);
  }
  if (reader->ended()) out += tar_end();
  co_return co_await exchange->write(out);
}

Task<Answer<void>> send_folder(Call call, Place* place, FileInfo info) {
  std::string name = info.path == place->workspace ? "workspace" : info.path;
  http::Headers headers{{"Content-Type", "application/x-tar"},
                        {"Content-Disposition", disposition(name, ".tar")}};
  ATOLL_CO_TRY(std::unique_ptr<ByteStream> stream, co_await place->sandbox().get_tree(info.path));
  ATOLL_CO_CHECK(co_await call.exchange->begin(200, std::move(headers)));
  PackReader reader;
  while (!reader.ended() && call.request().method != http::Method::kHead) {
    ATOLL_CO_TRY(std::string bytes, co_await stream->read());
    if (bytes.empty()) co_return refuse(Code::kIo, "the folder ended too early");
    ATOLL_CO_CHECK(co_await send_tar_of(call.exchange, &reader, std::move(bytes)));
  }
  (void)co_await call.exchange->finish();
  co_return Answer<void>();
}

}  // namespace

Task<Answer<void>> download_file(Call call) {
  ATOLL_CO_TRY(Place place, co_await open_place(call, call.request().capture("name")));
  ATOLL_CO_TRY(FileInfo info, co_await look_up(&place.sandbox(), place.path));
  if (info.kind == FileInfo::kDirectory) {
    co_return co_await send_folder(call, &place, std::move(info));
  }
  if (info.kind != FileInfo::kFile) {
    co_return refuse(Code::kConflict, "this is neither a file nor a folder");
  }
  co_return co_await send_file(call, &place, std::move(info));
}

}  // namespace atl::api::rest
