// The webhook of approvals against servers that take it, fail, redirect and hang.
#include "api/rest/approval_webhook.hpp"

#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"
#include "async/event.hpp"
#include "async/task_group.hpp"
#include "codec/json.hpp"
#include "http/server.hpp"

namespace atl::api::rest::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSecret = "the key of the signature";

// What arrives, and what is answered: a status for each request, the last one for ever.
struct Receiver {
  std::vector<int> statuses{204};
  std::vector<http::Request> got;
  std::vector<std::string> bodies;
  async::Event changed;
};

Task<void> receive(Receiver* receiver, http::Exchange* exchange) {
  auto body = co_await exchange->read_body(1u << 20);
  receiver->got.push_back(exchange->request());
  receiver->bodies.push_back(body ? *body : "");
  std::size_t index = std::min(receiver->got.size(), receiver->statuses.size()) - 1;
  int status = receiver->statuses[index];
  receiver->changed.notify_all();
  if (status == 0) {  // it hangs
    for (;;) co_await receiver->changed.wait();
  }
  http::Response response{.status = status};
  if (status == 302) response.headers.add("Location", "http://127.0.0.1:1/elsewhere");
  (void)co_await exchange->respond(std::move(response));
}

Task<void> until_count(Receiver* receiver, std::size_t count) {
  while (receiver->got.size() < count) co_await receiver->changed.wait();
}

TEST(Webhook, UrlsAreTakenApart) {
  WebhookUrl plain = split_webhook_url("https://example.org");
  EXPECT_EQ(plain.endpoint, "https://example.org");
  EXPECT_EQ(plain.target, "/");
  WebhookUrl full = split_webhook_url("http://u:p@host:8080/a/b?c=d#e");
  EXPECT_EQ(full.endpoint, "http://host:8080");
  EXPECT_EQ(full.target, "/a/b?c=d");
  EXPECT_EQ(full.user, "u:p");
  EXPECT_EQ(split_webhook_url("http://host?x=1").target, "/?x=1");
}

TEST(Webhook, ASignatureIsOfTimeAndBody) {
  std::string one = webhook_signature("k", "1", "{}");
  EXPECT_TRUE(one.starts_with("sha256="));
  EXPECT_EQ(one.size(), 7u + 64u);
  EXPECT_NE(one, webhook_signature("k", "2", "{}"));
  EXPECT_NE(one, webhook_signature("j", "1", "{}"));
}

// A session with an execution that waits: its id.
Task<std::string> ask(Api* api) {
  std::string session = co_await api->make_session();
  Reply asked = co_await api->call(Method::kPost, "/api/v1/sessions/" + session + "/execute",
                                   R"({"command":"curl x"})");
  EXPECT_EQ(asked.at({"state"}), "awaiting_approval") << asked.body;
  co_return asked.at({"execution_id"});
}

Task<void> told(Api* api, Receiver* receiver) {
  std::string id = co_await ask(api);
  co_await until_count(receiver, 1);
  const http::Request& first = receiver->got[0];
  const std::string& body = receiver->bodies[0];
  EXPECT_EQ(first.path, "/hook");
  EXPECT_EQ(first.headers.get("atoll-signature"),
            webhook_signature(kSecret, first.headers.get("atoll-timestamp"), body));
  boost::json::value message = codec::parse(body).value();
  EXPECT_EQ(message.at("event"), "approval_requested");
  EXPECT_EQ(message.at("approval").at("id"), boost::json::value(id));
  EXPECT_EQ(message.at("approval").at("command"), "curl x");
  Reply done = co_await api->call(Method::kPost, "/api/v1/approvals/" + id,
                                  R"({"decision":"reject","reason":"no"})");
  EXPECT_EQ(done.status, 200) << done.body;
  co_await until_count(receiver, 2);
  message = codec::parse(receiver->bodies[1]).value();
  EXPECT_EQ(message.at("event"), "approval_decided");
  EXPECT_EQ(message.at("approval").at("state"), "rejected");
}

Task<void> tried_again(Api* api, Receiver* receiver) {
  receiver->statuses = {500, 302, 204};
  (void)co_await ask(api);
  co_await until_count(receiver, 3);
  EXPECT_EQ(receiver->bodies[0], receiver->bodies[2]);
  for (const http::Request& one : receiver->got) EXPECT_EQ(one.path, "/hook") << "not redirected";
}

// One that hangs holds up nobody: neither executions nor other messages, nor the end of the server.
Task<void> hanging(Api* api, Receiver* receiver) {
  receiver->statuses = {0, 204};
  std::string first = co_await ask(api);
  std::string second = co_await ask(api);
  co_await until_count(receiver, 2);
  for (const std::string& id : {first, second}) {
    Reply done =
        co_await api->call(Method::kPost, "/api/v1/approvals/" + id, R"({"decision":"reject"})");
    EXPECT_EQ(done.status, 200) << done.body;
  }
}

Task<void> beside_receiver(Api* api, Task<void> (*body)(Api*, Receiver*)) {
  Receiver receiver;
  observe::Metrics metrics;
  http::Server server(
      api->executor,
      [&receiver](http::Exchange& exchange) { return receive(&receiver, &exchange); },
      {.listen = {"127.0.0.1:0"}});
  Result<void> started = co_await server.start();
  EXPECT_TRUE(started.has_value()) << started.error().to_string();
  async::TaskGroup tasks(api->executor);
  start_approval_webhook(tasks, {.executor = api->executor,
                                 .control = api->control,
                                 .metrics = &metrics,
                                 .options = {.url = "http://" + server.addresses()[0] + "/hook",
                                             .secret = kSecret,
                                             .again = 10ms},
                                 .version = "test"});
  co_await body(api, &receiver);
  co_await tasks.join();
  co_await server.drain(async::deadline_in(0s));
}

void with_webhook(Task<void> (*body)(Api*, Receiver*)) {
  ApiWish wish;
  wish.control.code.levels = {.high = model::RiskAction::kAsk};
  with_api([body](Api* api) { return beside_receiver(api, body); }, std::move(wish));
}

TEST(Webhook, IsToldOfRequestsAndDecisions) { with_webhook(told); }
TEST(Webhook, ATryThatFailsIsRepeated) { with_webhook(tried_again); }
TEST(Webhook, AServerThatHangsHoldsUpNobody) { with_webhook(hanging); }

}  // namespace
}  // namespace atl::api::rest::test
