#include "client/api.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "client/files.hpp"
#include "client/names.hpp"
#include "http/problem.hpp"
#include "http/router.hpp"
#include "http/test_server.hpp"

// An Exchange outlives the handler that gets it.
// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters)

namespace atl::client {
namespace {

using bodies::SessionBody;
using bodies::SessionListBody;
using http::Exchange;
using http::test::Bench;

Address address_of(const Bench& bench) {
  return {.url = "http://127.0.0.1:" + std::to_string(bench.server->port()), .key = "secret"};
}

Task<void> use_api(Bench bench, std::function<Task<void>(Api*)> body) {
  Api api(bench.executor, address_of(bench));
  co_await body(&api);
}

void with_api(http::Handler handler, std::function<Task<void>(Api*)> body) {
  http::test::with_server(std::move(handler), [&](Bench bench) { return use_api(bench, body); });
}

Task<void> answer(Exchange& exchange, int status, std::string body) {
  http::Response response{.status = status, .body = std::move(body)};
  static_cast<void>(co_await exchange.respond(std::move(response)));
}

// The ids of a list, and where the rest of it begins.
std::string shown(const Result<SessionListBody>& list) {
  if (!list) return list.error().to_string();
  std::string text;
  for (const SessionBody& session : list->sessions) text += session.id + " ";
  return list->next_cursor ? text + "then " + *list->next_cursor : text;
}

TEST(Api, SendsTheKeyAndReadsTheBody) {
  with_api(
      [](Exchange& exchange) -> Task<void> {
        EXPECT_EQ(exchange.request().headers.get("x-api-key"), "secret");
        co_await answer(exchange, 200, R"({"id":")" + exchange.request().target + "\"}");
      },
      [](Api* api) -> Task<void> {
        Result<SessionBody> session = co_await api->get_session(SessionId("a b/c"));
        EXPECT_EQ(session.value_or(SessionBody()).id, "/api/v1/sessions/a%20b%2Fc");
      });
}

TEST(Api, ARefusalIsAnErrorWithItsCodeAndSentence) {
  with_api(
      [](Exchange& exchange) -> Task<void> {
        static_cast<void>(co_await exchange.respond(
            http::problem(Error(Code::kSessionNotFound, "there is no session x"))));
      },
      [](Api* api) -> Task<void> {
        Result<void> deleted = co_await api->delete_session(SessionId("x"));
        EXPECT_EQ(deleted.error().code(), Code::kSessionNotFound);
        EXPECT_EQ(deleted.error().message(), "there is no session x");
      });
}

TEST(Api, AnAnswerThatIsNotAtollsIsAnError) {
  with_api([](Exchange& exchange) { return answer(exchange, 200, "<html>"); },
           [](Api* api) -> Task<void> {
             Result<SessionBody> session = co_await api->get_session(SessionId("x"));
             EXPECT_EQ(session.error().code(), Code::kBackend);
             Result<SessionListBody> sessions = co_await api->list_sessions({}, 10);
             EXPECT_EQ(sessions.error().code(), Code::kBackend);
           });
}

TEST(Api, AMemberOfAnotherTypeIsNamed) {
  with_api([](Exchange& exchange) { return answer(exchange, 200, R"({"id":"x","labels":7})"); },
           [](Api* api) -> Task<void> {
             Result<SessionBody> session = co_await api->get_session(SessionId("x"));
             EXPECT_EQ(session.error().code(), Code::kBackend);
             EXPECT_NE(session.error().message().find("/labels"), std::string::npos);
           });
}

// A server of a later version may say more.
TEST(Api, UnknownMembersAreIgnored) {
  with_api([](Exchange& exchange) { return answer(exchange, 200, R"({"id":"x","mood":"good"})"); },
           [](Api* api) -> Task<void> {
             Result<SessionBody> session = co_await api->get_session(SessionId("x"));
             EXPECT_EQ(session.value_or(SessionBody()).id, "x");
           });
}

TEST(Api, JoinsPages) {
  with_api(
      [](Exchange& exchange) -> Task<void> {
        bool second = exchange.request().query_value("cursor") == "b";
        EXPECT_EQ(exchange.request().query_value("status"), "ready,paused");
        EXPECT_EQ(exchange.request().query_value("label"), "a=b c");
        std::string body = second ? R"({"sessions":[{"id":"c"}],"next_cursor":null})"
                                  : R"({"sessions":[{"id":"a"},{"id":"b"}],"next_cursor":"b"})";
        co_await answer(exchange, 200, std::move(body));
      },
      [](Api* api) -> Task<void> {
        SessionFilter filter{.states = {"ready", "paused"}, .labels = {"a=b c"}};
        EXPECT_EQ(shown(co_await api->list_sessions(filter, 100)), "a b c ");
        EXPECT_EQ(shown(co_await api->list_sessions(filter, 2)), "a b then b");
      });
}

TEST(Api, NobodyAnswersIsASentenceWithTheAddress) {
  http::test::with_server(http::test::say_ok, [](Bench bench) -> Task<void> {
    Api api(bench.executor, {.url = "unix:///no/such/socket"});
    Result<SessionBody> session = co_await api.get_session(SessionId("x"));
    EXPECT_NE(session.error().message().find("no server answers at unix:///no/such/socket"),
              std::string::npos);
    Api wrong(bench.executor, {.url = "ftp://x"});
    Result<SessionBody> refused = co_await wrong.get_session(SessionId("x"));
    EXPECT_EQ(refused.error().code(), Code::kInvalidArgument);
  });
}

TEST(Files, ASourceThatFailsIsTheReason) {
  with_api(
      [](Exchange& exchange) -> Task<void> {
        Result<std::string> body = co_await exchange.read_body(1000);
        EXPECT_FALSE(body);
      },
      [](Api* api) -> Task<void> {
        http::BodySource source = [](std::span<char>) -> Task<Result<std::size_t>> {
          co_return fail(Code::kForbidden, "not yours");
        };
        Result<void> put = co_await put_file(api, SessionId("x"), "a", 0644, source, 10);
        EXPECT_EQ(put.error().code(), Code::kForbidden);
      });
}

TEST(Files, KindsByHead) {
  with_api(
      [](Exchange& exchange) -> Task<void> {
        http::Response response{.status = exchange.request().path.ends_with("none") ? 404 : 200};
        bool folder = exchange.request().path.ends_with("folder");
        response.headers.add("Content-Type", folder ? "application/x-tar" : "text/plain");
        static_cast<void>(co_await exchange.respond(std::move(response)));
      },
      [](Api* api) -> Task<void> {
        EXPECT_EQ((co_await kind_of(api, SessionId("x"), "none")).value(), FileKind::kMissing);
        EXPECT_EQ((co_await kind_of(api, SessionId("x"), "folder")).value(), FileKind::kFolder);
        EXPECT_EQ((co_await kind_of(api, SessionId("x"), "file")).value(), FileKind::kFile);
      });
}

}  // namespace
}  // namespace atl::client
// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
