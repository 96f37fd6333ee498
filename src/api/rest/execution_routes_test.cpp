#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"

namespace atl::api::rest::test {
namespace {

std::string text_of(const std::vector<http::SseEvent>& events, std::string_view name) {
  std::string all;
  for (const http::SseEvent& event : events) {
    if (event.event == name) all += Reply{200, {}, event.data}.at({"text"});
  }
  return all;
}

Task<void> streams(Api* api) {
  std::string session = co_await api->make_session();
  std::string path = "/api/v1/sessions/" + session + "/execute";
  auto events =
      co_await api->events(Method::kPost, path, R"({"command":"echo out; echo err >&2; exit 3"})");
  EXPECT_EQ(events.front().event, "init");
  EXPECT_EQ(events.back().event, "complete");
  EXPECT_EQ(text_of(events, "stdout"), "out\n");
  EXPECT_EQ(text_of(events, "stderr"), "err\n");
  Reply complete{200, {}, events.back().data};
  EXPECT_EQ(complete.at({"exit_code"}), "3");
  std::string execution = "/api/v1/executions/" + complete.at({"execution_id"});
  auto again = co_await api->events(Method::kGet, execution + "/stream");
  EXPECT_EQ(text_of(again, "stdout"), "out\n");
  auto rest = co_await api->events(Method::kGet, execution + "/stream", {},
                                   {{"Last-Event-ID", events.front().id}});
  EXPECT_EQ(text_of(rest, "stdout"), "out\n");
  EXPECT_NE(rest.front().event, "init");
  Reply bad = co_await api->call(Method::kGet, execution + "/stream", {}, {{"Last-Event-ID", "x"}});
  EXPECT_EQ(bad.status, 400);
}

// As an agent's tool hands it on.
Task<void> renders_text(Api* api) {
  std::string session = co_await api->make_session();
  std::string path = "/api/v1/sessions/" + session + "/execute";
  auto ask = [&](std::string body, std::string accept) {
    return api->call(Method::kPost, path, std::move(body),
                     {{"Prefer", "wait=30"}, {"Accept", std::move(accept)}});
  };
  Reply failed = co_await ask(R"({"command":"echo out; echo err >&2; exit 3"})", "text/plain");
  EXPECT_EQ(failed.headers.get("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(failed.body, "out\n\nSTDERR:\nerr\n\n\nExit code: 3");
  Reply silent = co_await ask(R"({"command":"true"})", "text/plain");
  EXPECT_EQ(silent.body, "(no output)");
  Reply both = co_await ask(R"({"command":"echo out"})", "application/json, text/plain, */*");
  EXPECT_EQ(both.at({"stdout"}), "out\n") << both.body;
}

// The client goes away in the middle; what runs goes on, and can be read on.
Task<void> vanishes(Api* api) {
  std::string session = co_await api->make_session();
  http::Client other(api->executor, {.endpoint = "http://" + api->address});
  http::ClientRequest request{.method = Method::kPost,
                              .target = "/api/v1/sessions/" + session + "/execute"};
  request.headers = {{"Accept", "text/event-stream"}, {"Content-Type", "application/json"}};
  request.body = R"({"command":"echo one; read x; echo got $x","stdin_open":true})";
  std::string id;
  std::string last;
  {
    auto response = co_await other.send(std::move(request));
    http::SseReader reader;
    std::string buffer(4096, '\0');
    while (response && last.empty()) {
      auto got = co_await response->read_some(std::span(buffer));
      if (!got || *got == 0) break;
      (void)reader.feed(std::string_view(buffer).substr(0, *got));
      while (auto event = reader.next()) {
        if (event->event == "init") id = Reply{200, {}, event->data}.at({"execution_id"});
        if (event->event == "stdout") last = event->id;
      }
    }
  }  // cut off
  EXPECT_FALSE(last.empty());
  Reply running = co_await api->call(Method::kGet, "/api/v1/executions/" + id);
  EXPECT_EQ(running.at({"state"}), "running") << running.body;
  Reply written = co_await api->call(Method::kPost, "/api/v1/executions/" + id + "/stdin",
                                     R"({"data":"more\n","close":true})");
  EXPECT_EQ(written.status, 204) << written.body;
  auto rest = co_await api->events(Method::kGet, "/api/v1/executions/" + id + "/stream", {},
                                   {{"Last-Event-ID", last}});
  EXPECT_EQ(text_of(rest, "stdout"), "got more\n");
}

Task<void> polls(Api* api) {
  std::string session = co_await api->make_session();
  std::string path = "/api/v1/sessions/" + session;
  Reply begun = co_await api->call(Method::kPost, path + "/execute",
                                   R"({"command":["sleep","1000"],"timeout":0})");
  EXPECT_EQ(begun.status, 202) << begun.body;
  std::string execution = "/api/v1/executions/" + begun.at({"execution_id"});
  EXPECT_EQ(begun.headers.get("location"), execution);
  Reply waited = co_await api->call(Method::kPost, path + "/execute", R"({"command":"sleep 1000"})",
                                    {{"Prefer", "wait=0"}});
  EXPECT_EQ(waited.status, 202) << waited.body;
  std::string second = "/api/v1/executions/" + waited.at({"execution_id"});
  for (const std::string& one : {execution, second}) {
    Reply cancelled = co_await api->call(Method::kDelete, one);
    EXPECT_EQ(cancelled.status, 204) << cancelled.body;
    Reply ended = co_await api->call(Method::kGet, one);
    EXPECT_EQ(ended.at({"state"}), "cancelled") << ended.body;
  }
  Reply timed =
      co_await api->call(Method::kPost, path + "/execute",
                         R"({"command":"echo a; sleep 100","timeout":0.3})", {{"Prefer", "wait"}});
  EXPECT_EQ(timed.at({"state"}), "timed_out") << timed.body;
  EXPECT_EQ(timed.at({"timed_out"}), "true");
  EXPECT_EQ(timed.at({"stdout"}), "a\n");
  Reply first = co_await api->call(Method::kGet, path + "/results?limit=2");
  EXPECT_EQ(first.at({"results", "0", "execution_id"}), timed.at({"execution_id"})) << first.body;
  EXPECT_EQ(first.at({"results", "0", "stdout"}), "a\n");
  Reply next = co_await api->call(
      Method::kGet, path + "/results?output=false&cursor=" + first.at({"next_cursor"}));
  EXPECT_EQ(next.at({"results", "0", "execution_id"}), begun.at({"execution_id"})) << next.body;
  EXPECT_EQ(next.at({"results", "0", "stdout"}), "");
  EXPECT_EQ(next.at({"next_cursor"}), "");
}

Task<void> signals(Api* api) {
  std::string path = "/api/v1/sessions/" + co_await api->make_session();
  Reply begun = co_await api->call(
      Method::kPost, path + "/execute",
      R"({"command":"trap 'exit 7' USR1; echo ready; while :; do sleep 0.01; done","timeout":0})");
  std::string execution = "/api/v1/executions/" + begun.at({"execution_id"});
  Reply now;
  while (now.at({"stdout"}).empty()) now = co_await api->call(Method::kGet, execution);
  Reply none = co_await api->call(Method::kPost, execution + "/signal", R"({"signal":"NONE"})");
  EXPECT_EQ(none.status, 422) << none.body;
  Reply sent = co_await api->call(Method::kPost, execution + "/signal", R"({"signal":"USR1"})");
  EXPECT_EQ(sent.status, 204) << sent.body;
  while (now.at({"state"}) == "running") now = co_await api->call(Method::kGet, execution);
  EXPECT_EQ(now.at({"exit_code"}), "7") << now.body;
  Reply late = co_await api->call(Method::kPost, execution + "/signal", R"({"signal":"USR1"})");
  EXPECT_EQ(late.status, 409) << late.body;
}

Task<void> one_shot(Api* api) {
  Reply ran = co_await api->call(
      Method::kPost, "/api/v1/run",
      R"({"template_id":"shell-default","command":"cat; printf '\\377'","stdin":"in"})");
  EXPECT_EQ(ran.status, 200) << ran.body;
  EXPECT_EQ(ran.at({"stdout"}), "in\xEF\xBF\xBD");
  EXPECT_EQ(ran.at({"stdout_b64"}), "aW7/");
  Reply session = co_await api->call(Method::kGet, "/api/v1/sessions/" + ran.at({"session_id"}));
  EXPECT_EQ(session.at({"status"}), "terminated");
  auto events = co_await api->events(Method::kPost, "/api/v1/run",
                                     R"({"template_id":"shell-default","command":"echo s"})");
  EXPECT_EQ(text_of(events, "stdout"), "s\n");
  EXPECT_EQ(api->control->sessions().live_count(), 0u);
}

Task<void> contexts(Api* api) {
  std::string session = co_await api->make_session();
  std::string path = "/api/v1/sessions/" + session;
  Reply opened = co_await api->call(Method::kPost, path + "/contexts", R"({"language":"python"})");
  EXPECT_EQ(opened.status, 201) << opened.body;
  std::string id = opened.at({"id"});
  for (const char* code : {"x = 20", "x + 1"}) {
    Reply ran = co_await api->call(Method::kPost, path + "/execute",
                                   R"({"context":")" + id + R"(","code":")" + code + R"("})",
                                   {{"Prefer", "wait"}});
    EXPECT_EQ(ran.at({"success"}), "true") << ran.body;
    if (std::string_view(code) == "x + 1") {
      EXPECT_EQ(ran.at({"result", "results", "0", "data", "text/plain"}), "21") << ran.body;
    }
  }
  Reply raised =
      co_await api->call(Method::kPost, path + "/execute",
                         R"({"context":")" + id + R"(","code":"nobody"})", {{"Prefer", "wait"}});
  EXPECT_EQ(raised.at({"error", "ename"}), "NameError") << raised.body;
  EXPECT_NE(opened.at({"cwd"}), "") << opened.body;
  Reply listed = co_await api->call(Method::kGet, path + "/contexts");
  EXPECT_EQ(listed.at({"contexts", "0", "cwd"}), opened.at({"cwd"}));
  Reply ignored = co_await api->call(Method::kPost, path + "/execute",
                                     R"({"code":"1","context":"default","env":{"A":"1"}})",
                                     {{"Prefer", "wait"}});
  EXPECT_EQ(ignored.status, 422) << ignored.body;
  EXPECT_EQ(listed.at({"contexts", "0", "id"}), id) << listed.body;
  Reply closed = co_await api->call(Method::kDelete, path + "/contexts/" + id);
  EXPECT_EQ(closed.status, 204) << closed.body;
}

Task<void> logs(Api* api) {
  std::string path = "/api/v1/sessions/" + co_await api->make_session();
  Reply ran =
      co_await api->call(Method::kPost, path + "/execute",
                         R"({"command":"echo one; echo zw\u00f6lf"})", {{"Prefer", "wait"}});
  EXPECT_EQ(ran.status, 200) << ran.body;
  std::string log = "/api/v1/executions/" + ran.at({"execution_id"}) + "/log";
  Reply all = co_await api->call(Method::kGet, log);
  EXPECT_EQ(all.status, 200) << all.body;
  EXPECT_EQ(all.headers.get("atoll-next-cursor"), std::to_string(all.body.size()));
  EXPECT_EQ(all.headers.get("atoll-execution-ended"), "true");
  Reply rest = co_await api->call(Method::kGet, log + "?cursor=4");
  EXPECT_EQ(rest.body, all.body.substr(4));
  Reply beyond = co_await api->call(Method::kGet, log + "?cursor=1000");
  EXPECT_EQ(beyond.body, "");
  EXPECT_EQ(beyond.headers.get("atoll-next-cursor"), "1000");
  Reply bad = co_await api->call(Method::kGet, log + "?cursor=-1");
  EXPECT_EQ(bad.status, 400);
  Reply none = co_await api->call(Method::kGet, "/api/v1/executions/none/log");
  EXPECT_EQ(none.status, 404);
  Reply why = co_await api->call(Method::kGet, path + "/diagnostics");
  EXPECT_EQ(why.status, 200) << why.body;
  EXPECT_NE(why.at({"log"}).find("one"), std::string::npos) << why.body;
  EXPECT_EQ(why.at({"executions", "0", "exit_code"}), "0");
  EXPECT_EQ(why.at({"events", "0", "action"}), "session_created");
  Reply gone = co_await api->call(Method::kDelete, path);
  EXPECT_EQ(gone.status, 204);
  Reply after = co_await api->call(Method::kGet, path + "/diagnostics");
  EXPECT_EQ(after.at({"status"}), "terminated") << after.body;
  EXPECT_NE(after.at({"log"}).find("one"), std::string::npos) << after.body;
}

// covers: getDiagnostics, readExecutionLog
TEST(ExecutionRoutes, WhatWasPrintedIsReadLater) { with_api(logs); }
// covers: execute, streamExecution
TEST(ExecutionRoutes, StreamsAndGoesOn) { with_api(streams); }
// covers: execute
TEST(ExecutionRoutes, RendersTextForTools) { with_api(renders_text); }
// covers: execute, getExecution, streamExecution, writeStdin
TEST(ExecutionRoutes, GoesOnWithoutItsClient) { with_api(vanishes); }
// covers: cancelExecution, execute, getExecution, listResults
TEST(ExecutionRoutes, PollsCancelsAndLists) { with_api(polls); }
// covers: execute, getExecution, sendSignal
// covers: C18
TEST(ExecutionRoutes, SignalsReachTheProgram) { with_api(signals); }
// covers: getSession, run
TEST(ExecutionRoutes, OneShotLeavesNothing) { with_api(one_shot); }
// covers: closeContext, execute, listContexts, openContext
TEST(ExecutionRoutes, ContextsKeepVariables) { with_api(contexts); }

}  // namespace
}  // namespace atl::api::rest::test
