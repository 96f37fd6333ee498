#include "backends/opensandbox/execd.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>

#include "backends/opensandbox/events.hpp"
#include "backends/opensandbox/lifecycle.hpp"
#include "backends/opensandbox/shell_errors.hpp"
#include "base/ids.hpp"
#include "codec/json.hpp"
#include "http/uri.hpp"

namespace atl::backends::opensandbox {

using async::Task;
using http::ClientRequest;
using http::ClientResponse;
using http::Method;

namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kMaxListing = 64u << 20;
constexpr std::size_t kMaxProblem = 64 * 1024;
constexpr std::size_t kMaxWords = 16u << 20;  // what a tool may say: a program may be the agent now

std::string url_of(const Settings& settings, const Endpoint& endpoint) {
  std::string scheme = settings.server_url.substr(0, settings.server_url.find("://"));
  return scheme + "://" + endpoint.address;
}

http::ClientOptions options_of(const Settings& settings, const Endpoint& endpoint) {
  BaseAddress address = split_address(url_of(settings, endpoint));
  http::ClientOptions options{.endpoint = address.endpoint};
  options.headers.add("User-Agent", "atoll");
  for (const auto& [name, value] : endpoint.headers) options.headers.add(name, value);
  // The key is for the server: a sandbox of its own address would read it.
  bool through_server = address.endpoint == split_address(settings.server_url).endpoint;
  if (through_server && !settings.api_key.empty()) {
    options.headers.add("OPEN-SANDBOX-API-KEY", settings.api_key);
  }
  return options;
}

struct FileBody {
  std::string path;
  std::optional<std::string> type;
  std::uint64_t size = 0;
  std::uint32_t mode = 0;
};
BOOST_DESCRIBE_STRUCT(FileBody, (), (path, type, size, mode))

// Modes travel as the decimal number that looks like the octal one.
std::uint32_t octal_of(std::uint32_t digits) {
  std::uint32_t mode = 0;
  for (std::uint32_t place = 1; digits != 0; digits /= 10, place *= 8) mode += digits % 10 * place;
  return mode & 07777;
}

sandbox::FileInfo info_of(FileBody body) {
  sandbox::FileInfo info{.mode = octal_of(body.mode), .size = body.size};
  std::string type = body.type.value_or("file");
  if (type == "directory") info.kind = sandbox::FileInfo::kDirectory;
  if (type == "symlink") info.kind = sandbox::FileInfo::kSymlink;
  if (type == "other") info.kind = sandbox::FileInfo::kOther;
  info.path = std::move(body.path);
  return info;
}

// The head of a form, then the content, then its tail.
struct Form {
  std::string head;
  http::BodySource content;
  std::string tail;
  int part = 0;
  std::size_t at = 0;
};

Task<Result<std::size_t>> read_text(Form* form, const std::string* text, std::span<char> into) {
  std::size_t size = std::min(into.size(), text->size() - form->at);
  std::memcpy(into.data(), text->data() + form->at, size);
  form->at += size;
  if (form->at == text->size()) {
    ++form->part;
    form->at = 0;
  }
  co_return size;
}

Task<Result<std::size_t>> read_form(std::shared_ptr<Form> form, std::span<char> into) {
  if (form->part == 0) co_return co_await read_text(form.get(), &form->head, into);
  if (form->part == 1) {
    ATOLL_CO_TRY(std::size_t size, co_await form->content(into));
    if (size > 0) co_return size;
    ++form->part;
  }
  if (form->part == 2) co_return co_await read_text(form.get(), &form->tail, into);
  co_return 0;
}

}  // namespace

Execd::Execd(async::Executor executor, const Settings& settings, const Endpoint& endpoint)
    : prefix_(split_address(url_of(settings, endpoint)).prefix),
      client_(std::move(executor), options_of(settings, endpoint)) {}

Task<Result<ClientResponse>> Execd::send(ClientRequest request) {
  request.target.insert(0, prefix_);
  if (request.deadline == async::kNoDeadline) request.deadline = async::deadline_in(kPatience);
  Result<ClientResponse> response = co_await client_.send(std::move(request));
  if (!response) {
    Error why = std::move(response).error();
    if (why.code() == Code::kCancelled || why.code() == Code::kTransferTimeout) {
      co_return fail(std::move(why));
    }
    co_return fail(
        Error(Code::kBackend, "the sandbox does not answer: " + why.message(), why.errno_value()));
  }
  if (response->ok() || response->status() == 416) co_return response;
  Result<std::string> body =
      co_await response->read_body(kMaxProblem, async::deadline_in(kPatience));
  co_return fail(error_of(response->status(), body.value_or("")));
}

Task<Result<void>> Execd::ping(async::Deadline deadline) {
  ATOLL_CO_TRY(ClientResponse response, co_await send({.target = "/ping", .deadline = deadline}));
  ATOLL_CO_TRY([[maybe_unused]] std::string body,
               co_await response.read_body(kMaxProblem, deadline));
  co_return Result<void>();
}

Task<Result<ClientResponse>> Execd::command(std::string script,
                                            std::map<std::string, std::string> env,
                                            std::chrono::milliseconds timeout) {
  boost::json::object body{{"command", script}};
  if (timeout.count() > 0) body["timeout"] = timeout.count();
  if (!env.empty()) body["envs"] = codec::to_json(env);
  ClientRequest request{.method = Method::kPost, .target = "/command"};
  request.headers.add("Content-Type", "application/json");
  request.headers.add("Accept", "text/event-stream");
  request.body = codec::serialize(body);
  co_return co_await send(std::move(request));
}

Task<Result<ShellResult>> Execd::run(std::string script) {
  ATOLL_CO_TRY(ClientResponse stream, co_await command(std::move(script), {}, kPatience));
  EventReader reader;
  ShellResult result;
  async::Deadline deadline = async::deadline_in(2 * kPatience);
  std::vector<char> buffer(64 * 1024);
  for (;;) {
    Result<std::size_t> size = co_await stream.read_some(buffer, deadline);
    if (!size && size.error().code() != Code::kIo) co_return fail(size.error());
    if (!size || *size == 0) {
      co_return fail(Code::kBackend, "the sandbox cut the stream of a command");
    }
    ATOLL_CO_TRY(std::vector<StreamEvent> events, reader.feed({buffer.data(), *size}));
    for (StreamEvent& event : events) {
      std::string& into = event.type == "stderr" ? result.err : result.out;
      if (event.type == "stdout" || event.type == "stderr") {
        into += event.text;
        if (!into.ends_with('\n')) into += '\n';
        if (into.size() > kMaxWords)
          co_return fail(Code::kTooLarge, "an answer of the sandbox is too long");
      }
      if (event.type == "execution_complete") co_return result;
      if (event.type == "error") {
        result.code = std::atoi(event.error_value.c_str());
        if (result.code == 0) co_return fail(Code::kBackend, "the shell: " + event.error_value);
        co_return result;
      }
    }
  }
}

Task<Result<std::string>> Execd::run_well(std::string script) {
  ATOLL_CO_TRY(ShellResult result, co_await run(std::move(script)));
  if (result.code != 0) co_return fail(error_from_words(result.err));
  co_return std::move(result.out);
}

Task<Result<void>> Execd::upload(std::string path, http::BodySource content) {
  std::string boundary = "atoll-" + make_sortable_id();
  std::string metadata = codec::serialize(boost::json::object{{"path", path}});
  auto form = std::make_shared<Form>();
  form->head = "--" + boundary +
               "\r\nContent-Disposition: form-data; name=\"metadata\"; filename=\"metadata\"\r\n"
               "Content-Type: application/json\r\n\r\n" +
               metadata + "\r\n--" + boundary +
               "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n"
               "Content-Type: application/octet-stream\r\n\r\n";
  form->content = std::move(content);
  form->tail = "\r\n--" + boundary + "--\r\n";
  // The head of the answer comes after the last byte, and only the caller knows when that is.
  ClientRequest request{.method = Method::kPost,
                        .target = "/files/upload",
                        .source = [form](std::span<char> into) { return read_form(form, into); },
                        .deadline = async::Deadline::max() - std::chrono::hours(1)};
  request.headers.add("Content-Type", "multipart/form-data; boundary=" + boundary);
  ATOLL_CO_TRY(ClientResponse response, co_await send(std::move(request)));
  ATOLL_CO_TRY([[maybe_unused]] std::string body,
               co_await response.read_body(kMaxProblem, async::deadline_in(kPatience)));
  co_return Result<void>();
}

Task<Result<ClientResponse>> Execd::download(std::string path, std::uint64_t offset,
                                             std::uint64_t length) {
  ClientRequest request{.target = "/files/download?path=" + http::percent_encode(path)};
  if (offset != 0 || length != UINT64_MAX) {
    std::string range = "bytes=" + std::to_string(offset) + "-";
    if (length < UINT64_MAX - offset) range += std::to_string(offset + length - 1);
    request.headers.add("Range", range);
  }
  co_return co_await send(std::move(request));
}

Task<Result<std::vector<sandbox::FileInfo>>> Execd::entries(std::string target) {
  ATOLL_CO_TRY(ClientResponse response, co_await send({.target = std::move(target)}));
  ATOLL_CO_TRY(std::string body,
               co_await response.read_body(kMaxListing, async::deadline_in(kPatience)));
  auto decoded = codec::decode<std::vector<FileBody>>(
      body.empty() ? "[]" : body, {.ignore_unknown = true}, {.max_bytes = kMaxListing});
  if (!decoded) co_return fail(Code::kBackend, "the sandbox sent a listing that cannot be read");
  std::vector<sandbox::FileInfo> all;
  for (FileBody& one : *decoded) all.push_back(info_of(std::move(one)));
  co_return all;
}

Task<Result<std::vector<sandbox::FileInfo>>> Execd::list(std::string path, std::uint32_t depth) {
  return entries("/directories/list?path=" + http::percent_encode(path) +
                 "&depth=" + std::to_string(depth));
}

Task<Result<std::vector<sandbox::FileInfo>>> Execd::search(std::string path, std::string glob) {
  return entries("/files/search?path=" + http::percent_encode(path) +
                 "&pattern=" + http::percent_encode(glob));
}

}  // namespace atl::backends::opensandbox
