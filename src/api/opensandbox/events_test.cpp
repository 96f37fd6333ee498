#include "api/opensandbox/events.hpp"

#include <gtest/gtest.h>

namespace atl::api::opensandbox {
namespace {

using control::SpoolKind;
using Form = EventText::Form;

std::string text(std::string_view type, std::string_view content) {
  return R"({"type":")" + std::string(type) + R"(","text":")" + std::string(content) +
         R"(","timestamp":7})" + "\n\n";
}

std::string taken(EventText& events, SpoolKind kind, std::string data) {
  std::string out;
  events.take({1, kind, std::move(data)}, 7, out);
  return out;
}

model::Execution ended(model::ExecutionState state, std::optional<int> exit_code) {
  return {.state = state, .exit_code = exit_code, .duration_ms = 5};
}

std::string finished(EventText& events, const model::Execution& row) {
  std::string out;
  events.finish(row, 7, out);
  return out;
}

TEST(OpenSandboxEvents, LinesComeWithoutTheirEnd) {
  EventText events(Form::kLines);
  EXPECT_EQ(EventText::init("id", 7), text("init", "id"));
  EXPECT_EQ(taken(events, SpoolKind::kStdout, "one\n\ntw"),
            text("stdout", "one") + text("stdout", "\\n"));
  EXPECT_EQ(taken(events, SpoolKind::kStderr, "err\n"), text("stderr", "err"));
  EXPECT_EQ(taken(events, SpoolKind::kStdout, "o\nrest"), text("stdout", "two"));
  EXPECT_EQ(finished(events, ended(model::ExecutionState::kCompleted, 0)),
            text("stdout", "rest") +
                R"({"type":"execution_complete","execution_time":5,"timestamp":7})" + "\n\n");
}

TEST(OpenSandboxEvents, ALineWithoutEndIsGivenInParts) {
  EventText events(Form::kLines);
  std::string all;
  for (int i = 0; i < 3; ++i) {
    all += taken(events, SpoolKind::kStdout, std::string(EventText::kLongestLine / 2 + 1, 'x'));
  }
  EXPECT_NE(all, "");
  EXPECT_LT(all.size(), EventText::kLongestLine + 1000);
}

TEST(OpenSandboxEvents, BytesThatAreNoTextAreReplaced) {
  EventText lines(Form::kLines);
  EXPECT_EQ(taken(lines, SpoolKind::kStdout, "\xff\n"), text("stdout", "\xef\xbf\xbd"));
  EventText pieces(Form::kPieces);
  EXPECT_EQ(taken(pieces, SpoolKind::kStdout, "gr\xc3"), text("stdout", "gr"));
  EXPECT_EQ(taken(pieces, SpoolKind::kStdout, "\xb6\n"), text("stdout", "\xc3\xb6\\n"));
}

TEST(OpenSandboxEvents, AnErrorStandsInsteadOfTheEnd) {
  using State = model::ExecutionState;
  auto error_of = [](const model::Execution& row) {
    EventText events(Form::kLines);
    std::string out;
    events.finish(row, 7, out);
    EXPECT_EQ(out.find("execution_complete"), out.npos) << out;
    return out;
  };
  EXPECT_NE(error_of(ended(State::kCompleted, 3)).find(R"("evalue":"3")"), std::string::npos);
  EXPECT_NE(error_of(ended(State::kFailed, std::nullopt)).find(R"("evalue":"-1")"),
            std::string::npos);
  std::string late = error_of(ended(State::kTimedOut, 137));
  EXPECT_NE(late.find(R"("evalue":"-1")"), late.npos) << late;
  EXPECT_NE(late.find("CommandTimeoutError"), late.npos) << late;
  EXPECT_NE(error_of(ended(State::kCancelled, 130)).find(R"("evalue":"130")"), std::string::npos);
}

TEST(OpenSandboxEvents, ResultsOfCode) {
  EventText events(Form::kPieces);
  EXPECT_EQ(taken(events, SpoolKind::kResult, R"({"text/plain":"4","text/html":"<b>"})"),
            R"({"type":"result","results":{"text":"4","text/html":"<b>"},"timestamp":7})"
            "\n\n");
  std::string raised =
      taken(events, SpoolKind::kError, R"({"ename":"E","evalue":"v","traceback":"a\nb"})");
  EXPECT_EQ(
      raised,
      R"({"type":"error","error":{"ename":"E","evalue":"v","traceback":["a","b"]},"timestamp":7})"
      "\n\n");
  model::Execution row = ended(model::ExecutionState::kFailed, 1);
  row.result_json = R"({"results":[],"execution_count":3})";
  EXPECT_EQ(finished(events, row), R"({"type":"execution_count","execution_count":3,"timestamp":7})"
                                   "\n\n");
}

}  // namespace
}  // namespace atl::api::opensandbox
