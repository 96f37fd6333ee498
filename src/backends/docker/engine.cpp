#include "backends/docker/engine.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "async/deadline.hpp"
#include "codec/base64.hpp"
#include "codec/json.hpp"
#include "codec/tar_reader.hpp"
#include "http/uri.hpp"
#include "observe/log.hpp"

namespace atl::backends::docker {
namespace {

using async::Task;
using http::Method;

constexpr int kOldest = 40;  // Docker 19.03
constexpr int kNewest = 47;  // of those that this code was written by; an engine may be newer
constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::minutes kPullPatience{30};
constexpr std::size_t kMaxAnswer = 8 << 20;
constexpr std::size_t kMaxWords = 400;
constexpr const char* kDefaultHost = "unix:///var/run/docker.sock";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

http::ClientOptions client_options(const EngineOptions& options) {
  http::ClientOptions client{.endpoint = options.host};
  if (client.endpoint.starts_with("tcp://")) {
    const char* scheme = options.cert_folder.empty() ? "http://" : "https://";
    client.endpoint = scheme + client.endpoint.substr(6);
  }
  if (!options.cert_folder.empty()) {
    client.ca_file = options.cert_folder + "/ca.pem";
    client.certificate_file = options.cert_folder + "/cert.pem";
    client.key_file = options.cert_folder + "/key.pem";
  }
  return client;
}

int minor_of(std::string_view version) {
  int minor = 0;
  if (version.starts_with("1.")) {
    std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  }
  return minor;
}

Error refusal(int status, std::string_view body) {
  std::expected<Json, codec::DecodeError> parsed = codec::parse(body);
  std::string words = parsed ? text_at(*parsed, "/message") : "";
  if (words.empty()) words = "HTTP status " + std::to_string(status);
  if (words.size() > kMaxWords) words.resize(kMaxWords);
  Code code = status == 404 ? Code::kNotFound : status == 409 ? Code::kConflict : Code::kBackend;
  return Error(code, "the Docker engine says: " + words);
}

std::string archive_of(const std::string& container, const std::string& path) {
  return "/containers/" + container + "/archive?path=" + http::percent_encode(path);
}

// An archive of /usr/lib has "lib/x", one of / has "/x" or "x".
std::string below_top(std::string name, const std::string& folder) {
  std::string top = folder.substr(folder.rfind('/') + 1);
  while (name.ends_with('/')) name.pop_back();
  if (name.starts_with("./")) name.erase(0, 2);
  if (name.starts_with('/')) name.erase(0, 1);
  if (top.empty()) return name;
  return name.starts_with(top + "/") ? name.substr(top.size() + 1) : "";
}

// One step of a pull: {"status":"Downloading","id":"a1b2","progressDetail":{"current":1,"total":2}}
void report_progress(const std::string& image, const Json& step) {
  std::string status = text_at(step, "/status");
  if (status == "Downloading" || status == "Extracting") return;  // many a second
  log::info("docker_pull", log::kv("image", image), log::kv("layer", text_at(step, "/id")),
            log::kv("status", status));
}

// "Loaded image: a:b" or "Loaded image ID: sha256:…"
std::string loaded_name(std::string text) {
  for (std::string_view words : {"Loaded image: ", "Loaded image ID: "}) {
    if (!text.starts_with(words)) continue;
    text.erase(0, words.size());
    text.erase(std::min(text.find_first_of(" \n,"), text.size()));
    return text;
  }
  return {};
}

}  // namespace

const Json* at(const Json& value, std::string_view pointer) {
  boost::system::error_code ignored;
  return value.find_pointer(pointer, ignored);
}

std::string text_at(const Json& value, std::string_view pointer) {
  const Json* found = at(value, pointer);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

double number_at(const Json& value, std::string_view pointer) {
  const Json* found = at(value, pointer);
  if (found == nullptr || !found->is_number()) return 0;
  return found->to_number<double>();
}

bool truth_at(const Json& value, std::string_view pointer) {
  const Json* found = at(value, pointer);
  return found != nullptr && found->is_bool() && found->get_bool();
}

EngineOptions with_environment(EngineOptions options) {
  if (!options.host.empty()) return options;
  options.host = variable("DOCKER_HOST");
  if (options.host.empty()) options.host = kDefaultHost;
  if (options.host.starts_with("tcp://") && options.cert_folder.empty() &&
      !variable("DOCKER_TLS_VERIFY").empty()) {
    options.cert_folder = variable("DOCKER_CERT_PATH");
    if (options.cert_folder.empty()) options.cert_folder = variable("HOME") + "/.docker";
  }
  return options;
}

Engine::Engine(async::Executor executor, const EngineOptions& options)
    : host_(options.host), client_(std::move(executor), client_options(options)) {}

Error Engine::unreachable(const Error& error) const {
  std::string words = "the Docker engine at " + host_ + " does not answer";
  switch (error.errno_value()) {
    case EACCES:
    case EPERM:
      return Error(Code::kBackend,
                   words +
                       ": its socket may not be opened; the user that Atoll runs as needs "
                       "the group of the socket, usually docker",
                   error.errno_value());
    case ENOENT:
    case ECONNREFUSED:
      return Error(Code::kBackend, words + "; start it, or say where it is by DOCKER_HOST",
                   error.errno_value());
    default: break;
  }
  return Error(Code::kBackend, words + ": " + error.message(), error.errno_value());
}

Task<Result<http::ClientResponse>> Engine::send(http::ClientRequest request) {
  Result<http::ClientResponse> answer = co_await client_.send(std::move(request));
  if (!answer) co_return fail(unreachable(answer.error()));
  co_return answer;
}

Task<Result<void>> Engine::settle_version() {
  if (!prefix_.empty()) co_return Result<void>();
  http::ClientRequest request{.target = "/_ping", .deadline = async::deadline_in(kPatience)};
  ATOLL_CO_TRY(http::ClientResponse answer, co_await send(std::move(request)));
  int engine = minor_of(answer.headers().get("api-version"));
  if (!answer.ok() || engine < kOldest) {
    co_return fail(Code::kBackend, "what answers at " + host_ + " is no Docker engine of API 1." +
                                       std::to_string(kOldest) + " or later");
  }
  is_podman_ = answer.headers().has("libpod-api-version");
  (void)co_await answer.read_body(kMaxAnswer, async::deadline_in(kPatience));
  minor_ = std::min(engine, kNewest);
  prefix_ = "/v1." + std::to_string(minor_);
  co_return Result<void>();
}

Task<Result<Json>> Engine::call(Method method, std::string target, Json body) {
  ATOLL_CO_CHECK(co_await settle_version());
  http::ClientRequest request{
      .method = method, .target = prefix_ + target, .deadline = async::deadline_in(kPatience)};
  if (!body.is_null()) {
    request.headers.add("content-type", "application/json");
    request.body = codec::serialize(body);
  }
  ATOLL_CO_TRY(http::ClientResponse answer, co_await send(std::move(request)));
  Result<std::string> text = co_await answer.read_body(kMaxAnswer, async::deadline_in(kPatience));
  if (!text) co_return fail(unreachable(text.error()));
  // 304: it is as it should be already.
  if (!answer.ok() && answer.status() != 304) co_return fail(refusal(answer.status(), *text));
  if (text->empty()) co_return Json(nullptr);
  std::expected<Json, codec::DecodeError> value = codec::parse(*text, {.max_bytes = kMaxAnswer});
  if (!value) co_return fail(Code::kBackend, "the Docker engine's answer is no JSON");
  co_return std::move(*value);
}

Task<Result<EngineFacts>> Engine::facts() {
  ATOLL_CO_TRY(Json info, co_await call(Method::kGet, "/info"));
  EngineFacts facts{.memory_limit = truth_at(info, "/MemoryLimit"),
                    .cpu_limit = truth_at(info, "/CpuCfsQuota"),
                    .pids_limit = truth_at(info, "/PidsLimit"),
                    .has_cgroup_namespace = minor_ >= 41,
                    .plain_tmpfs = is_podman_};
  const Json* options = at(info, "/SecurityOptions");
  if (options != nullptr && options->is_array()) {
    for (const Json& one : options->get_array()) {
      std::string_view text = one.is_string() ? std::string_view(one.get_string()) : "";
      if (text.starts_with("name=userns") || text == "name=rootless") facts.user_namespace = true;
      if (text.starts_with("name=seccomp")) facts.seccomp = true;
    }
  }
  co_return facts;
}

Task<Result<PathFacts>> Engine::look_at(std::string container, std::string path) {
  constexpr unsigned kGoFolder = 1u << 31;
  constexpr unsigned kGoSymlink = 1u << 27;
  ATOLL_CO_CHECK(co_await settle_version());
  http::ClientRequest request{.method = Method::kHead,
                              .target = prefix_ + archive_of(container, path),
                              .deadline = async::deadline_in(kPatience)};
  ATOLL_CO_TRY(http::ClientResponse answer, co_await send(std::move(request)));
  if (answer.status() == 404) co_return PathFacts();
  std::string_view coded = answer.headers().get("x-docker-container-path-stat");
  std::expected<Json, codec::DecodeError> facts =
      codec::parse(codec::from_base64(coded).value_or(""));
  if (!answer.ok() || !facts) co_return fail(refusal(answer.status(), ""));
  auto mode = static_cast<unsigned>(number_at(*facts, "/mode"));
  if ((mode & kGoSymlink) != 0) {
    co_return PathFacts{PathKind::kLink, text_at(*facts, "/linkTarget")};
  }
  co_return PathFacts{(mode & kGoFolder) != 0 ? PathKind::kFolder : PathKind::kFile, ""};
}

Task<Result<std::vector<std::string>>> Engine::all_below(std::string container,
                                                         std::string folder) {
  ATOLL_CO_CHECK(co_await settle_version());
  async::Deadline deadline = async::deadline_in(kPullPatience);
  http::ClientRequest request{.target = prefix_ + archive_of(container, folder),
                              .deadline = deadline};
  ATOLL_CO_TRY(http::ClientResponse answer, co_await send(std::move(request)));
  if (!answer.ok()) {
    Result<std::string> text = co_await answer.read_body(kMaxAnswer, deadline);
    co_return fail(refusal(answer.status(), text ? *text : ""));
  }
  std::vector<std::string> found;
  codec::TarReader reader;
  std::string piece(256 << 10, '\0');
  for (;;) {
    ATOLL_CO_TRY(std::size_t size, co_await answer.read_some(piece, deadline));
    if (size == 0) break;
    std::string_view input = std::string_view(piece).substr(0, size);
    for (;;) {
      ATOLL_CO_TRY(codec::TarReader::Event event, reader.next(input));
      if (event == codec::TarReader::Event::kMore || event == codec::TarReader::Event::kEnd) break;
      if (event != codec::TarReader::Event::kEntry) continue;
      std::string name = below_top(reader.entry().name, folder);
      if (!name.empty()) found.push_back(std::move(name));
    }
  }
  if (!reader.ended()) co_return fail(Code::kBackend, "the engine's answer ends too early");
  co_return found;
}

Task<Result<void>> Engine::follow(http::ClientRequest request, TakeStep take) {
  async::Deadline deadline = async::deadline_in(kPullPatience);
  request.deadline = deadline;
  request.target.insert(0, prefix_);
  ATOLL_CO_TRY(http::ClientResponse answer, co_await send(std::move(request)));
  if (!answer.ok()) {
    Result<std::string> text = co_await answer.read_body(kMaxAnswer, deadline);
    co_return fail(refusal(answer.status(), text ? *text : ""));
  }
  std::string lines;
  std::string piece(16 << 10, '\0');
  for (;;) {
    ATOLL_CO_TRY(std::size_t size, co_await answer.read_some(piece, deadline));
    if (size == 0) co_return Result<void>();
    lines.append(piece, 0, size);
    for (std::size_t end = 0; (end = lines.find('\n')) != lines.npos; lines.erase(0, end + 1)) {
      std::expected<Json, codec::DecodeError> step =
          codec::parse(std::string_view(lines).substr(0, end));
      if (!step) continue;
      std::string error = text_at(*step, "/error");
      if (!error.empty()) co_return fail(Code::kBackend, error.substr(0, kMaxWords));
      ATOLL_CO_CHECK(take(*step));
    }
    if (lines.size() > kMaxAnswer)
      co_return fail(Code::kBackend, "the engine's progress is no JSON");
  }
}

Task<Result<void>> Engine::pull(std::string image) {
  ATOLL_CO_CHECK(co_await settle_version());
  bool has_tag = image.find('@') != image.npos || image.rfind(':') + 1 > image.rfind('/') + 1;
  std::string name = has_tag ? image : image + ":latest";
  http::ClientRequest request{.method = Method::kPost,
                              .target = "/images/create?fromImage=" + http::percent_encode(name)};
  co_return co_await follow(std::move(request), [&image](const Json& step) -> Result<void> {
    report_progress(image, step);
    return {};
  });
}

Task<Result<std::vector<std::string>>> Engine::load(http::BodySource archive) {
  ATOLL_CO_CHECK(co_await settle_version());
  http::ClientRequest request{.method = Method::kPost,
                              .target = "/images/load?quiet=1",
                              .headers = {{"Content-Type", "application/x-tar"}},
                              .source = std::move(archive)};
  std::vector<std::string> names;
  ATOLL_CO_CHECK(co_await follow(std::move(request), [&names](const Json& step) -> Result<void> {
    std::string name = loaded_name(text_at(step, "/stream"));
    if (!name.empty()) names.push_back(std::move(name));
    return {};
  }));
  if (names.empty()) co_return fail(Code::kInvalidArgument, "the archive holds no image");
  co_return names;
}

Task<Result<void>> Engine::tag(std::string image, std::string name) {
  std::size_t colon = name.rfind(':');
  bool has_tag = colon != name.npos && name.find('/', colon) == name.npos;
  std::string target =
      "/images/" + http::percent_encode(image, true) +
      "/tag?repo=" + http::percent_encode(name.substr(0, has_tag ? colon : name.npos)) +
      "&tag=" + (has_tag ? http::percent_encode(name.substr(colon + 1)) : "latest");
  ATOLL_CO_CHECK(co_await call(Method::kPost, std::move(target)));
  co_return Result<void>();
}

}  // namespace atl::backends::docker
