#include "api/rest/bodies.hpp"

#include <gtest/gtest.h>

#include "api/common/limits.hpp"
#include "api/rest/call.hpp"
#include "api/rest/execute.hpp"
#include "api/rest/execution_body.hpp"
#include "api/rest/session_body.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {
namespace {

template <typename Body>
auto request_of(std::string_view text) {
  Answer<Body> body = decode_body<Body>(text);
  using Request = decltype(to_request(std::move(*body)));
  if (!body) return Request(std::unexpected(std::move(body).error()));
  return to_request(std::move(*body));
}

template <typename Body>
std::string wrong_at(std::string_view text) {
  auto request = request_of<Body>(text);
  if (request) return "nothing wrong";
  return request.error().at.value_or("nowhere");
}

TEST(Bodies, CreateSession) {
  auto request = request_of<CreateBody>(
      R"({"template_id":"t","session_key":"k","labels":{"a":"b"},"config":{"timeout_seconds":5,"environment":{"X":"1"}}})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->template_id, "t");
  EXPECT_EQ(request->session_key, "k");
  EXPECT_EQ(request->config.timeout_seconds, 5u);
  EXPECT_EQ(request->config.environment.at("X"), "1");
  EXPECT_TRUE(request_of<CreateBody>("{}").has_value());
}

TEST(Bodies, WhereANulStandsIsSaid) {
  const std::string name = std::string("a") + '\0';
  EXPECT_EQ(wrong_at<CreateBody>(R"({"labels":{"a\u0000":"b"}})"), "/labels/" + name);
  EXPECT_EQ(wrong_at<CreateBody>(R"({"labels":{"a/b":"\u0000"}})"), "/labels/a~1b");
  EXPECT_EQ(wrong_at<CreateBody>(R"({"metadata":{"a\u0000":"b"}})"), "/metadata/" + name);
  EXPECT_EQ(wrong_at<ChangeBody>(R"({"labels":{"a":"b\u0000"}})"), "/labels/a");
  EXPECT_EQ(wrong_at<ChangeBody>(R"({"metadata":{"a":"\u0000b"}})"), "/metadata/a");
  EXPECT_EQ(wrong_at<ChangeBody>(R"({"metadata":{"a":[0,{"b":"\u0000"}]}})"), "/metadata/a/1/b");
  EXPECT_EQ(wrong_at<CreateBody>(R"({"session_key":"\u0000"})"), "/session_key");
  EXPECT_EQ(wrong_at<CreateKeyBody>(R"({"tenant":"t\u0000"})"), "/tenant");
}

TEST(Bodies, UnknownAndWrongFieldsAreNamed) {
  EXPECT_EQ(wrong_at<CreateBody>(R"({"templat_id":"t"})"), "/templat_id");
  EXPECT_EQ(wrong_at<CreateBody>(R"({"config":{"timeout":5}})"), "/config/timeout");
  EXPECT_EQ(wrong_at<CreateBody>(R"({"config":{"timeout_seconds":0}})"), "/config/timeout_seconds");
  EXPECT_EQ(wrong_at<CreateBody>(R"({"config":{"timeout_seconds":-1}})"),
            "/config/timeout_seconds");
  EXPECT_EQ(wrong_at<CreateBody>(R"({"labels":{"a/b":7}})"), "/labels/a~1b");
  EXPECT_EQ(wrong_at<CreateBody>(R"({"config":{"environment":{"A=B":"x"}}})"),
            "/config/environment/A=B");
  EXPECT_EQ(wrong_at<CreateBody>(R"({"config":{"environment":{"A\nB":"x"}}})"),
            "/config/environment/A\nB");
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"code":"x","env":{"":"x"}})"), "/env/");
  EXPECT_EQ(wrong_at<OpenContextBody>(R"({"env":{"A B":"x"}})"), "/env/A B");
  EXPECT_EQ(wrong_at<CreateBody>("[]"), "");
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"code":"x","command":"y"})"), "/command");
  EXPECT_EQ(wrong_at<ExecuteBody>("{}"), "/code");
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"command":["a",1]})"), "/command/1");
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"command":[]})"), "/command");
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"command":7})"), "/command");
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"code":"x","timeout":-1})"), "/timeout");
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"code":"x","stdin_b64":"!"})"), "/stdin_b64");
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"code":"x","cwd":"a","working_dir":"b"})"), "/working_dir");
  EXPECT_EQ(wrong_at<CreateKeyBody>(R"({"role":"king"})"), "/role");
  std::string code(kMaxCode + 1, 'x');
  EXPECT_EQ(wrong_at<ExecuteBody>(R"({"code":")" + code + R"("})"), "/code");
}

TEST(Bodies, ExecuteInAllItsForms) {
  auto shell = request_of<ExecuteBody>(R"({"command":"ls","timeout":1.5,"working_dir":"/tmp"})");
  ASSERT_TRUE(shell.has_value());
  EXPECT_EQ(shell->shell_command, "ls");
  EXPECT_EQ(shell->timeout, 1.5);
  EXPECT_EQ(shell->cwd, "/tmp");
  auto argv = request_of<ExecuteBody>(R"({"command":["ls","-l"],"stdin":"in","env":{"A":"b"}})");
  ASSERT_TRUE(argv.has_value());
  EXPECT_EQ(argv->argv, (std::vector<std::string>{"ls", "-l"}));
  EXPECT_EQ(argv->stdin_data, "in");
  auto code =
      request_of<ExecuteBody>(R"({"code":"1","language":"py","stdin_b64":"/w==","timeout":3})");
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(code->code, "1");
  EXPECT_EQ(code->stdin_data, "\xff");
}

TEST(Bodies, AliasesTakeFlatAndNestedConfig) {
  auto flat =
      request_of<FlatCreateBody>(R"({"template_id":"t","timeout_seconds":9,"allow_network":true})");
  ASSERT_TRUE(flat.has_value());
  EXPECT_EQ(flat->config.timeout_seconds, 9u);
  EXPECT_EQ(flat->config.allow_network, true);
  auto both = request_of<FlatCreateBody>(
      R"({"config":{"timeout_seconds":9,"idle_timeout_seconds":4},"timeout_seconds":7})");
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->config.timeout_seconds, 7u);
  EXPECT_EQ(both->config.idle_timeout_seconds, 4u);
  EXPECT_EQ(wrong_at<FlatCreateBody>(R"({"timeout":1})"), "/timeout");
}

TEST(Bodies, SignalsByNameAndNumber) {
  EXPECT_EQ(to_signal({.signal = "TERM"}), 15);
  EXPECT_EQ(to_signal({.signal = "SIGKILL"}), 9);
  EXPECT_EQ(to_signal({.signal = 2}), 2);
  for (const boost::json::value& bad : {boost::json::value(0), boost::json::value("NOPE"),
                                        boost::json::value(nullptr), boost::json::value(65)}) {
    EXPECT_FALSE(to_signal({.signal = bad}).has_value());
  }
}

TEST(Bodies, Roles) {
  EXPECT_EQ(role_name(model::Role::kReadOnly), "read-only");
  EXPECT_EQ(role_from_name("read_only"), model::Role::kReadOnly);
  EXPECT_EQ(role_from_name("read-only"), model::Role::kReadOnly);
  EXPECT_FALSE(role_from_name("").has_value());
}

TEST(Bodies, TemplateHasDefaultsAndNoStrangers) {
  auto body =
      decode_body<bodies::TemplateSpecBody>(R"({"id":"x","name":"X","resources":{"memory":64}})");
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->resources.memory, 64u);
  EXPECT_EQ(body->resources.cpu, 0.5);
  auto wrong = decode_body<bodies::TemplateSpecBody>(R"({"id":"x","resources":{"ram":64}})");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().at, "/resources/ram");
}

TEST(Views, BytesThatAreNoText) {
  model::Execution row;
  row.id = ExecutionId("e");
  row.output.stdout_bytes = "a\xff";
  row.output.stderr_bytes = "fine";
  row.output.merged =
      "a\xff"
      "fine";
  object view = codec::to_json(execution_view(row)).as_object();
  EXPECT_EQ(view["stdout"].as_string(), "a\xEF\xBF\xBD");
  EXPECT_EQ(view["stdout_b64"].as_string(), "Yf8=");
  EXPECT_FALSE(view.contains("stderr_b64"));
  EXPECT_FALSE(codec::to_json(execution_view(row, false)).as_object().contains("stdout"));
}

TEST(Views, ErrorOfCodeThatRaised) {
  model::Execution row;
  row.error_code = "execution_failed";
  row.error_message = "NameError: x";
  row.result_json = R"({"results":[],"error":{"ename":"NameError","evalue":"x","traceback":"t"}})";
  object error = codec::to_json(execution_error(row)).as_object();
  EXPECT_EQ(error["code"].as_string(), "execution_failed");
  EXPECT_EQ(error["ename"].as_string(), "NameError");
}

}  // namespace
}  // namespace atl::api::rest
