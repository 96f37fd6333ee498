#include "api/rest/test_api.hpp"

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include "api/common/middleware.hpp"
#include "api/opensandbox/dialect.hpp"
#include "api/rest/documents.hpp"
#include "api/rest/rest.hpp"
#include "api/rest/test_schema.hpp"
#include "async/deadline.hpp"
#include "async/run.hpp"
#include "codec/json.hpp"
#include "http/server.hpp"
#include "observe/log.hpp"

namespace atl::backends {
void register_fake(sandbox::Registry& registry);
}

namespace atl::api::rest::test {

namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kLongest{100};
constexpr std::size_t kLargest = 64u << 20;

// One for each test, gone with it.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "atoll-api-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

Task<Result<void>> as_result(Task<void> task) {
  co_await std::move(task);
  co_return Result<void>();
}

// By operation: whether any test has had an answer from it that was no error. As the server counts.
void remember_answers(const std::string& figures) {
  static const std::regex kLine(
      R"re(api_requests_total\{operation="(\w+)",method="\w+",status="[123]..".*)re");
  std::istringstream lines(figures);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, kLine)) answered().insert(found[1]);
  }
}

Dialects dialects_of(control::Control& control, const RestOptions& rest) {
  DialectOptions options{.executor = rest.executor,
                         .images = {{"their/image", "shell-default"}},
                         .body_bytes = rest.body_bytes,
                         .upload_bytes = rest.upload_bytes};
  return {opensandbox::make_dialect(control, std::move(options))};
}

Task<Result<void>> run_all(async::Executor executor, const Folder* folder,
                           std::function<Task<void>(Api*)> body, ApiWish wish) {
  sandbox::Registry registry;
  backends::register_fake(registry);
  control::ControlOptions options = std::move(wish.control);
  options.executor = executor;
  std::string data = *folder / "data";
  options.journal_folder = data + "/journals";
  options.snapshot_folder = data + "/snapshots";
  if (!options.workspace_folder.empty()) options.workspace_folder = *folder / "workspaces";
  fs::create_directories(data);
  ATOLL_CO_TRY(options.store,
               co_await store::open_store({.executor = executor, .data_folder = data}));
  if (wish.on_write)
    options.store = control::test::watched(std::move(options.store), std::move(wish.on_write));
  node::LocalNodeOptions node = std::move(wish.node);
  node.executor = executor;
  node.default_backend = "fake";
  node.backend.run_folder = *folder / "run";
  node.packages_folder = data + "/packages";
  options.nodes.push_back(node::make_local_node(registry, std::move(node)));
  control::Control control(std::move(options));
  ATOLL_CO_CHECK(co_await control.start());
  observe::Metrics metrics;
  bool draining = false;
  std::string address;
  http::Router router;
  RestOptions rest{.executor = executor,
                   .registry = &registry,
                   .endpoint = [&address] { return "http://" + address; },
                   .version = "test",
                   .body_bytes = wish.body_bytes,
                   .upload_bytes = wish.upload_bytes,
                   .metrics = &metrics,
                   .draining = [&draining] { return draining; },
                   .preview_domain = wish.preview_domain};
  AuthOptions auth{.required = wish.keys,
                   .metrics = &metrics,
                   .preview_domain = wish.preview_domain,
                   .cors_origins = wish.cors_origins,
                   .preview = add_rest_routes(router, control, rest),
                   .dialects = dialects_of(control, rest)};
  if (wish.more_routes) wish.more_routes(router, control, executor);
  http::Server server(executor, wrap(router, control, std::move(auth)),
                      {.listen = {"127.0.0.1:0", "unix:" + (*folder / "api.sock")}});
  ATOLL_CO_CHECK(co_await server.start());
  address = server.addresses().front();
  http::Client client(executor, {.endpoint = "http://" + address});
  Api api{executor, &control, &client, &router, {}, address, *folder / ""};
  Result<void> ended = co_await async::with_deadline<void>(
      as_result(body(&api)), async::deadline_in(kLongest), Code::kExecTimeout, "the test hangs");
  draining = true;
  co_await server.drain(async::deadline_in(std::chrono::seconds(5)));
  remember_answers(metrics.text());  // streams are counted when they have ended
  co_await control.stop();
  co_return ended;
}

// What the execution has printed first; waits for it.
Task<std::string> first_line(Api* api, std::string execution) {
  for (;;) {
    Reply now = co_await api->call(Method::kGet, "/api/v1/executions/" + execution);
    std::string text = now.at({"stdout"});
    if (text.find('\n') != text.npos) co_return text.substr(0, text.find('\n'));
    if (now.at({"state"}) != "running" && now.at({"state"}) != "queued") co_return now.body;
    co_await async::yield_now();
  }
}

// Every answer that a test sees is held against the document.
void expect_described(const http::Router& router, Method method, const std::string& path,
                      const Reply& reply) {
  static const SchemaCheck kDocument(openapi_json());
  http::Router::Match match = router.match(method, path);
  if (match.route == nullptr) return;
  const std::string& operation = match.route->options.name;
  if (!kDocument.knows(operation)) return;  // route_table_test finds what is missing
  for (const std::string& problem :
       kDocument.problems(operation, reply.status, reply.headers.get("content-type"), reply.body)) {
    ADD_FAILURE() << operation << ": " << problem;
  }
}

}  // namespace

std::set<std::string>& answered() {
  static std::set<std::string> operations;
  return operations;
}

boost::json::value Reply::json() const {
  auto value = codec::parse(body, {.max_bytes = kLargest, .max_depth = 64});
  return value ? *value : boost::json::value();
}

std::string Reply::at(std::initializer_list<std::string_view> path) const {
  boost::json::value value = json();
  for (std::string_view name : path) {
    boost::json::value inner;
    if (const auto* object = value.if_object()) {
      if (const auto* found = object->if_contains(name)) inner = *found;
    } else if (const auto* array = value.if_array()) {
      std::size_t index = static_cast<std::size_t>(std::stoul(std::string(name)));
      if (index < array->size()) inner = (*array)[index];
    }
    value = std::move(inner);
  }
  if (const auto* text = value.if_string()) return {text->data(), text->size()};
  return value.is_null() ? std::string() : codec::serialize(value);
}

Task<Reply> Api::call(Method method, std::string target, std::string body, http::Headers more) {
  std::string path = target.substr(0, target.find('?'));
  http::ClientRequest request{.method = method, .target = std::move(target)};
  request.headers = headers;
  for (const auto& [name, value] : more) request.headers.set(name, value);
  if (!body.empty() && !request.headers.has("content-type")) {
    request.headers.set("Content-Type", "application/json");
  }
  request.body = std::move(body);
  auto response = co_await client->send(std::move(request));
  if (!response) {
    ADD_FAILURE() << response.error().to_string();
    co_return Reply();
  }
  auto text = co_await response->read_body(kLargest);
  EXPECT_TRUE(text.has_value()) << text.error().to_string();
  Reply reply{response->status(), response->headers(), text ? std::move(*text) : ""};
  if (method != Method::kHead) expect_described(*router, method, path, reply);
  co_return reply;
}

Task<std::string> Api::make_session() {
  Reply made = co_await call(Method::kPost, "/api/v1/sessions",
                             R"({"template_id":"shell-default"})", {{"Prefer", "wait"}});
  EXPECT_EQ(made.status, 201) << made.body;
  co_return made.at({"id"});
}

Task<std::string> Api::serve(std::string session, std::string python) {
  boost::json::object body{{"timeout", 0}, {"language", "python"}, {"code", python}};
  Reply begun = co_await call(Method::kPost, "/api/v1/sessions/" + session + "/execute",
                              codec::serialize(body));
  EXPECT_EQ(begun.status, 202) << begun.body;
  co_return co_await first_line(this, begun.at({"execution_id"}));
}

Task<std::vector<http::SseEvent>> Api::events(Method method, std::string target, std::string body,
                                              http::Headers more) {
  more.set("Accept", "text/event-stream");
  Reply reply = co_await call(method, std::move(target), std::move(body), std::move(more));
  EXPECT_EQ(reply.status, 200) << reply.body;
  http::SseReader reader;
  EXPECT_TRUE(reader.feed(reply.body).has_value());
  std::vector<http::SseEvent> all;
  while (auto event = reader.next()) all.push_back(std::move(*event));
  co_return all;
}

void with_api(std::function<Task<void>(Api*)> body, ApiWish wish) {
  log::set_level(log::Level::kOff);
  Folder folder;
  Result<void> ended = async::run_to_end<Result<void>>([&](async::Executor executor) {
    return run_all(std::move(executor), &folder, body, std::move(wish));
  });
  EXPECT_TRUE(ended.has_value()) << ended.error().to_string();
}

}  // namespace atl::api::rest::test
