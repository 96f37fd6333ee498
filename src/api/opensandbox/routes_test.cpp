// The dialect from the socket to sandboxes of the fake backend. The official SDKs drive a real
// server in tests/dialects/opensandbox; this is what a sanitizer sees.
#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "codec/json.hpp"

namespace atl::api::opensandbox {
namespace {

using async::Task;
using http::Method;
using rest::test::Api;
using rest::test::Reply;

constexpr const char* kCreate =
    R"({"image":{"uri":"their/image:1"},"entrypoint":["tail","-f","/dev/null"],)"
    R"("resourceLimits":{"cpu":"1","memory":"2Gi"},"metadata":{"a":"1"},"unknown":{"x":[]}})";

Task<std::string> make(Api* api) {
  Reply made = co_await api->call(Method::kPost, "/v1/sandboxes", kCreate);
  EXPECT_EQ(made.status, 202) << made.body;
  EXPECT_EQ(made.at({"status", "state"}), "Running");
  co_return made.at({"id"});
}

std::string execd(const std::string& id) { return "/sandboxes/" + id + "/proxy/44772"; }

Task<void> lifecycle(Api* api) {
  std::string id = co_await make(api);
  Reply row = co_await api->call(Method::kGet, "/api/v1/sessions/" + id);
  EXPECT_EQ(row.at({"template_id"}), "shell-default") << row.body;
  EXPECT_EQ(row.at({"labels", "a"}), "1");
  EXPECT_EQ(row.at({"config", "environment", "EXECD_ENVS"}), "/tmp/.opensandbox-env");
  Reply listed = co_await api->call(Method::kGet, "/v1/sandboxes?metadata=a%3D1&state=Running");
  EXPECT_EQ(listed.at({"items", "0", "id"}), id) << listed.body;
  EXPECT_EQ(listed.at({"pagination", "totalItems"}), "1");
  Reply none = co_await api->call(Method::kGet, "/v1/sandboxes?metadata=a%3D2");
  EXPECT_EQ(none.at({"items"}), "[]");
  Reply changed = co_await api->call(Method::kPatch, "/v1/sandboxes/" + id + "/metadata",
                                     R"({"a":null,"b":"2"})");
  EXPECT_EQ(changed.at({"metadata"}), R"({"b":"2"})") << changed.body;
  Reply endpoint = co_await api->call(Method::kGet, "/v1/sandboxes/" + id + "/endpoints/44772");
  EXPECT_EQ(endpoint.at({"endpoint"}), api->address + execd(id)) << endpoint.body;
  Reply later = co_await api->call(Method::kPost, "/v1/sandboxes/" + id + "/renew-expiration",
                                   R"({"expiresAt":"1999-01-01T00:00:00Z"})");
  EXPECT_EQ(later.status, 400) << later.body;
  Reply gone = co_await api->call(Method::kDelete, "/v1/sandboxes/" + id);
  EXPECT_EQ(gone.status, 204) << gone.body;
  Reply missing = co_await api->call(Method::kGet, "/v1/sandboxes/" + id);
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.at({"code"}), "SANDBOX::NOT_FOUND");
  Reply image = co_await api->call(Method::kPost, "/v1/sandboxes",
                                   R"({"image":{"uri":"no/such"},"entrypoint":["x"]})");
  EXPECT_EQ(image.status, 404) << image.body;
  Reply health = co_await api->call(Method::kGet, "/v1/health");
  EXPECT_EQ(health.at({"status"}), "healthy");
}

std::vector<boost::json::value> events_of(const Reply& reply) {
  std::vector<boost::json::value> all;
  std::string_view text = reply.body;
  for (std::size_t end = text.find("\n\n"); end != text.npos; end = text.find("\n\n")) {
    auto event = codec::parse(text.substr(0, end));
    EXPECT_TRUE(event.has_value()) << text;
    if (event) all.push_back(*event);
    text.remove_prefix(end + 2);
  }
  EXPECT_EQ(text, "");
  return all;
}

Task<void> commands(Api* api) {
  std::string base = execd(co_await make(api));
  Reply ran = co_await api->call(Method::kPost, base + "/command",
                                 R"({"command":"echo one; echo two >&2; exit 3"})");
  auto events = events_of(ran);
  EXPECT_EQ(events.size(), 4u) << ran.body;
  if (events.size() != 4) co_return;
  EXPECT_EQ(events[0].at("type").as_string(), "init");
  EXPECT_EQ(events[3].at("error").at("evalue").as_string(), "3");
  std::string id(events[0].at("text").as_string());
  Reply status = co_await api->call(Method::kGet, base + "/command/status/" + id);
  EXPECT_EQ(status.at({"exit_code"}), "3") << status.body;
  EXPECT_EQ(status.at({"content"}), "echo one; echo two >&2; exit 3");
  Reply logs = co_await api->call(Method::kGet, base + "/command/" + id + "/logs");
  EXPECT_EQ(logs.body.size(), 8u) << logs.body;
  EXPECT_EQ(logs.headers.get("execd-commands-tail-cursor"), "8");
  Reply rest = co_await api->call(Method::kGet, base + "/command/" + id + "/logs?cursor=7");
  EXPECT_EQ(rest.body, "\n");
  Reply kept = co_await api->call(Method::kPost, base + "/command",
                                  R"({"command":"sleep 1000","background":true})");
  events = events_of(kept);
  EXPECT_EQ(events.size(), 2u) << kept.body;
  std::string sleeper(events.at(0).at("text").as_string());
  Reply stopped = co_await api->call(Method::kDelete, base + "/command?id=" + sleeper);
  EXPECT_EQ(stopped.status, 200) << stopped.body;
  EXPECT_EQ(stopped.headers.get("content-length"), "0");
  Reply running;
  do {
    running = co_await api->call(Method::kGet, base + "/command/status/" + sleeper);
    co_await async::yield_now();
  } while (running.at({"running"}) == "true");
  EXPECT_NE(running.at({"exit_code"}), "0") << running.body;
  Reply list = co_await api->call(Method::kPost, base + "/command", R"({"argv":["echo","a b"]})");
  EXPECT_NE(list.body.find("\"a b\""), std::string::npos) << list.body;
  Reply ping = co_await api->call(Method::kGet, base + "/ping");
  EXPECT_EQ(ping.status, 200);
}

Task<void> shells_and_code(Api* api) {
  std::string base = execd(co_await make(api));
  Reply opened = co_await api->call(Method::kPost, base + "/session", "{}");
  std::string shell = opened.at({"session_id"});
  Reply set = co_await api->call(Method::kPost, base + "/session/" + shell + "/run",
                                 R"({"command":"V=7"})");
  EXPECT_NE(set.body.find("execution_complete"), std::string::npos) << set.body;
  Reply got = co_await api->call(Method::kPost, base + "/session/" + shell + "/run",
                                 R"({"command":"echo $V"})");
  EXPECT_NE(got.body.find(R"("text":"7")"), std::string::npos) << got.body;
  Reply context =
      co_await api->call(Method::kPost, base + "/code/context", R"({"language":"python"})");
  std::string id = context.at({"id"});
  Reply ran = co_await api->call(
      Method::kPost, base + "/code",
      R"({"code":"6 * 7","context":{"language":"python","id":")" + id + R"("}})");
  EXPECT_NE(ran.body.find(R"("results":{"text":"42")"), std::string::npos) << ran.body;
  Reply wrong = co_await api->call(
      Method::kPost, base + "/code",
      R"({"code":"nothing","context":{"language":"python","id":")" + id + R"("}})");
  EXPECT_NE(wrong.body.find("NameError"), std::string::npos) << wrong.body;
  EXPECT_EQ(wrong.body.find("execution_complete"), std::string::npos) << wrong.body;
  Reply listed = co_await api->call(Method::kGet, base + "/code/contexts?language=python");
  EXPECT_EQ(listed.at({"0", "id"}), id) << listed.body;
  Reply closed = co_await api->call(Method::kDelete, base + "/code/contexts/" + id);
  EXPECT_EQ(closed.status, 200);
  Reply closed_shell = co_await api->call(Method::kDelete, base + "/session/" + shell);
  EXPECT_EQ(closed_shell.status, 200);
}

std::string part(std::string_view name, std::string_view content) {
  return "--B\r\nContent-Disposition: form-data; name=\"" + std::string(name) +
         "\"; filename=\"x\"\r\n\r\n" + std::string(content) + "\r\n";
}

Task<void> files(Api* api) {
  std::string base = execd(co_await make(api));
  std::string form = part("metadata", R"({"path":"/workspace/d/a.txt","mode":640})") +
                     part("file", "one\ntwo\n") + part("metadata", R"({"path":"/workspace/b"})") +
                     part("file", "") + "--B--\r\n";
  Reply up = co_await api->call(Method::kPost, base + "/files/upload", form,
                                {{"Content-Type", "multipart/form-data; boundary=B"}});
  EXPECT_EQ(up.status, 200) << up.body;
  Reply info = co_await api->call(Method::kGet,
                                  base + "/files/info?path=/workspace/d/a.txt&path=/workspace/b");
  EXPECT_EQ(info.at({"/workspace/d/a.txt", "mode"}), "640") << info.body;
  EXPECT_EQ(info.at({"/workspace/b", "size"}), "0");
  Reply line = co_await api->call(
      Method::kGet, base + "/files/download?path=/workspace/d/a.txt&offset=2&limit=1");
  EXPECT_EQ(line.body, "two\n");
  Reply range = co_await api->call(Method::kGet, base + "/files/download?path=/workspace/d/a.txt",
                                   {}, {{"Range", "bytes=1-2"}});
  EXPECT_EQ(range.status, 206);
  EXPECT_EQ(range.body, "ne");
  Reply replaced = co_await api->call(Method::kPost, base + "/files/replace?verbose=true",
                                      R"({"/workspace/d/a.txt":{"old":"o","new":"0"}})");
  EXPECT_EQ(replaced.at({"/workspace/d/a.txt", "replacedCount"}), "2") << replaced.body;
  Reply moved = co_await api->call(Method::kPost, base + "/files/mv",
                                   R"([{"src":"/workspace/d/a.txt","dest":"/workspace/b"}])");
  EXPECT_EQ(moved.status, 200) << moved.body;
  Reply whole = co_await api->call(Method::kGet, base + "/files/download?path=/workspace/b");
  EXPECT_EQ(whole.body, "0ne\ntw0\n");
  Reply made = co_await api->call(Method::kPost, base + "/directories",
                                  R"({"/workspace/e/f":{"mode":700}})");
  EXPECT_EQ(made.status, 200) << made.body;
  Reply listed =
      co_await api->call(Method::kGet, base + "/directories/list?path=/workspace&depth=2");
  EXPECT_NE(listed.body.find("/e/f\""), std::string::npos) << listed.body;
  Reply found = co_await api->call(Method::kGet, base + "/files/search?path=/workspace&pattern=b*");
  EXPECT_NE(found.body.find("/b\""), std::string::npos) << found.body;
  Reply removed = co_await api->call(Method::kDelete,
                                     base + "/directories?path=/workspace/e&path=/workspace/d");
  EXPECT_EQ(removed.status, 200) << removed.body;
  Reply missing = co_await api->call(Method::kGet, base + "/files/download?path=/workspace/none");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.at({"code"}), "FILE_NOT_FOUND");
}

Task<void> others(Api* api) {
  std::string id = co_await make(api);
  std::string egress = "/sandboxes/" + id + "/proxy/18080";
  Reply policy = co_await api->call(Method::kGet, egress + "/policy");
  EXPECT_EQ(policy.at({"policy", "defaultAction"}), "deny") << policy.body;
  Reply refused = co_await api->call(Method::kPatch, egress + "/policy",
                                     R"([{"action":"allow","target":"example.org"}])");
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_EQ(refused.headers.get("content-type"), "text/plain; charset=utf-8");
  Reply cleared = co_await api->call(Method::kDelete, egress + "/policy", R"(["example.org"])");
  EXPECT_EQ(cleared.status, 200) << cleared.body;
  Reply taken =
      co_await api->call(Method::kPost, "/v1/sandboxes/" + id + "/snapshots", R"({"name":"n"})");
  EXPECT_EQ(taken.status, 202) << taken.body;
  Reply listed = co_await api->call(Method::kGet, "/v1/snapshots?sandboxId=" + id);
  EXPECT_EQ(listed.at({"items", "0", "id"}), taken.at({"id"})) << listed.body;
  Reply metrics = co_await api->call(Method::kGet, execd(id) + "/metrics");
  EXPECT_EQ(metrics.status, 200) << metrics.body;
  Reply logs =
      co_await api->call(Method::kGet, "/v1/sandboxes/" + id + "/diagnostics/logs?scope=all");
  EXPECT_EQ(logs.at({"delivery"}), "inline") << logs.body;
  Reply figures = co_await api->call(Method::kPost, "/v1/metrics/events", "{}");
  EXPECT_EQ(figures.status, 204);
  Reply vault = co_await api->call(Method::kGet, egress + "/credential-vault");
  EXPECT_EQ(vault.status, 501);
  Reply isolated = co_await api->call(Method::kGet, execd(id) + "/v1/isolated/capabilities");
  EXPECT_EQ(isolated.at({"available"}), "false");
  Reply nobody = co_await api->call(Method::kGet, "/sandboxes/" + id + "/proxy/1/");
  EXPECT_EQ(nobody.status, 502) << nobody.body;
}

Task<void> strangers(Api* api) {
  Reply closed = co_await api->call(Method::kGet, "/v1/sandboxes");
  EXPECT_EQ(closed.status, 401);
  EXPECT_EQ(closed.at({"code"}), "MISSING_API_KEY") << closed.body;
  auto key = co_await api->control->keys().create({}, {.tenant = "t", .role = model::Role::kUser});
  auto other =
      co_await api->control->keys().create({}, {.tenant = "u", .role = model::Role::kUser});
  http::Headers with_key{{"OPEN-SANDBOX-API-KEY", key->secret}};
  http::Headers with_other{{"OPEN-SANDBOX-API-KEY", other->secret}};
  Reply made = co_await api->call(Method::kPost, "/v1/sandboxes", kCreate, with_key);
  EXPECT_EQ(made.status, 202) << made.body;
  std::string id = made.at({"id"});
  Reply hidden = co_await api->call(Method::kGet, execd(id) + "/ping", {}, with_other);
  EXPECT_EQ(hidden.status, 404) << hidden.body;
  Reply endpoint =
      co_await api->call(Method::kGet, "/v1/sandboxes/" + id + "/endpoints/44772", {}, with_key);
  std::string token = endpoint.at({"headers", "X-EXECD-ACCESS-TOKEN"});
  Reply let_in =
      co_await api->call(Method::kGet, execd(id) + "/ping", {}, {{"X-EXECD-ACCESS-TOKEN", token}});
  EXPECT_EQ(let_in.status, 200) << let_in.body;
  token.back() = token.back() == '0' ? '1' : '0';
  Reply forged =
      co_await api->call(Method::kGet, execd(id) + "/ping", {}, {{"X-EXECD-ACCESS-TOKEN", token}});
  EXPECT_EQ(forged.status, 401) << forged.body;
  Reply unknown = co_await api->call(Method::kGet, "/v1/nothing", {}, with_key);
  EXPECT_EQ(unknown.status, 404);
  Reply method = co_await api->call(Method::kPut, "/v1/sandboxes", "{}", with_key);
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.at({"code"}), "METHOD_NOT_ALLOWED") << method.body;
}

TEST(OpenSandboxRoutes, Lifecycle) { rest::test::with_api(lifecycle); }
TEST(OpenSandboxRoutes, Commands) { rest::test::with_api(commands); }
TEST(OpenSandboxRoutes, ShellsAndCode) { rest::test::with_api(shells_and_code); }
TEST(OpenSandboxRoutes, Files) { rest::test::with_api(files); }
TEST(OpenSandboxRoutes, PoliciesSnapshotsAndTheRest) { rest::test::with_api(others); }
TEST(OpenSandboxRoutes, StrangersAreRefusedInTheirForm) {
  rest::test::with_api(strangers, {.keys = true});
}

}  // namespace
}  // namespace atl::api::opensandbox
