#include "client/files.hpp"

#include <charconv>
#include <memory>
#include <utility>

#include "base/ids.hpp"
#include "codec/json.hpp"
#include "http/uri.hpp"

namespace atl::client {

namespace {

constexpr std::chrono::seconds kPatience{30};

std::string file_path(const SessionId& session, const std::string& path) {
  return session_path(session, "/files/" + http::percent_encode(path));
}

bool is_tar(const http::ClientResponse& response) {
  return response.headers().get("content-type") == "application/x-tar";
}

std::optional<std::uint64_t> number_in(const http::ClientResponse& response, std::string_view field,
                                       int base) {
  std::string_view text = response.headers().get(field);
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// What the source said, when it is the reason that a request was cut.
struct Kept {
  std::optional<Error> error;
};

Task<Result<std::size_t>> read_source(std::shared_ptr<Kept> kept,
                                      std::shared_ptr<http::BodySource> source,
                                      std::span<char> into) {
  Result<std::size_t> got = co_await (*source)(into);
  if (!got) kept->error = got.error();
  co_return got;
}

Task<Result<void>> send(Api* api, http::ClientRequest request, http::BodySource source) {
  auto kept = std::make_shared<Kept>();
  auto shared = std::make_shared<http::BodySource>(std::move(source));
  request.source = [kept, shared](std::span<char> into) { return read_source(kept, shared, into); };
  Result<http::ClientResponse> response = co_await api->open(std::move(request));
  if (kept->error) co_return fail(std::move(*kept->error));
  if (!response) co_return fail(response.error());
  co_return Result<void>();
}

std::string octal(std::uint32_t mode) {
  return {static_cast<char>('0' + (mode >> 6 & 7)), static_cast<char>('0' + (mode >> 3 & 7)),
          static_cast<char>('0' + (mode & 7))};
}

}  // namespace

Task<Result<FileKind>> kind_of(Api* api, SessionId session, std::string path) {
  Result<http::ClientResponse> response =
      co_await api->open({.method = http::Method::kHead,
                          .target = file_path(session, path),
                          .deadline = async::deadline_in(kPatience)});
  if (response) co_return is_tar(*response) ? FileKind::kFolder : FileKind::kFile;
  // The answer to a HEAD has no body that could say more.
  if (response.error().code() == Code::kNotFound) co_return FileKind::kMissing;
  co_return fail(response.error());
}

Task<Result<void>> put_file(Api* api, SessionId session, std::string path, std::uint32_t mode,
                            http::BodySource source, std::optional<std::uint64_t> length) {
  co_return co_await send(api,
                          {.method = http::Method::kPut,
                           .target = file_path(session, path) + "?mode=" + octal(mode),
                           .source_length = length},
                          std::move(source));
}

Task<Result<void>> put_files(Api* api, SessionId session, std::string folder, std::uint32_t mode,
                             std::vector<SentFile> files) {
  auto body = std::make_shared<UploadBody>(std::move(files), "atoll-" + make_sortable_id());
  http::ClientRequest request{
      .method = http::Method::kPost,
      .target = session_path(
          session, "/files/upload?path=" + http::percent_encode(folder) + "&mode=" + octal(mode)),
      .source_length = body->length()};
  request.headers.set("Content-Type", body->content_type());
  co_return co_await send(api, std::move(request),
                          [body](std::span<char> into) { return body->read(into); });
}

Task<Result<void>> put_links(Api* api, SessionId session, bodies::MakeLinksBody body) {
  http::ClientRequest request{.method = http::Method::kPost,
                              .target = session_path(session, "/files/links"),
                              .body = codec::encode(body),
                              .deadline = async::deadline_in(kPatience)};
  request.headers.set("Content-Type", "application/json");
  ATOLL_CO_TRY(http::ClientResponse response, co_await api->open(std::move(request)));
  static_cast<void>(response);
  co_return Result<void>();
}

Task<Result<Download>> get_file(Api* api, SessionId session, std::string path) {
  ATOLL_CO_TRY(http::ClientResponse response,
               co_await api->open({.target = file_path(session, path),
                                   .deadline = async::deadline_in(kPatience)}));
  Download download{.response = std::move(response)};
  download.is_folder = is_tar(download.response);
  download.length = number_in(download.response, "content-length", 10);
  download.mode = static_cast<std::uint32_t>(
      number_in(download.response, "x-atoll-mode", 8).value_or(0666) & 0777);
  co_return download;
}

}  // namespace atl::client
