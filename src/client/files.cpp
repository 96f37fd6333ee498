#include "client/files.hpp"

#include <charconv>
#include <memory>
#include <utility>

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

std::optional<std::uint64_t> length_of(const http::ClientResponse& response) {
  std::string_view text = response.headers().get("content-length");
  std::uint64_t length = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc() || text.empty()) return std::nullopt;
  return length;
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
  auto kept = std::make_shared<Kept>();
  auto shared = std::make_shared<http::BodySource>(std::move(source));
  std::string octal{static_cast<char>('0' + (mode >> 6 & 7)),
                    static_cast<char>('0' + (mode >> 3 & 7)), static_cast<char>('0' + (mode & 7))};
  http::ClientRequest request{
      .method = http::Method::kPut,
      .target = file_path(session, path) + "?mode=" + octal,
      .source = [kept, shared](std::span<char> into) { return read_source(kept, shared, into); },
      .source_length = length};
  Result<http::ClientResponse> response = co_await api->open(std::move(request));
  if (kept->error) co_return fail(std::move(*kept->error));
  if (!response) co_return fail(response.error());
  co_return Result<void>();
}

Task<Result<Download>> get_file(Api* api, SessionId session, std::string path) {
  ATOLL_CO_TRY(http::ClientResponse response,
               co_await api->open({.target = file_path(session, path),
                                   .deadline = async::deadline_in(kPatience)}));
  bool folder = is_tar(response);
  std::optional<std::uint64_t> length = length_of(response);
  co_return Download{.response = std::move(response), .is_folder = folder, .length = length};
}

}  // namespace atl::client
