// Following an execution: from the beginning, behind an event, and when it is over.
#include <gtest/gtest.h>

#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;

// Until this much of stdout has come, or the end; the number of the last event.
Task<std::uint64_t> read_until(ExecutionFeed* feed, std::string* text, std::string wanted) {
  std::uint64_t last = 0;
  while (text->find(wanted) == std::string::npos) {
    auto event = co_await feed->next();
    if (!event || !*event) break;
    last = (**event)->number;
    EXPECT_EQ(feed->position(), last);
    if ((**event)->kind == SpoolKind::kStdout) *text += (**event)->data;
  }
  co_return last;
}

Task<void> followed(Plane* plane) {
  Executions& executions = plane->control->executions();
  SessionId id = co_await make_session(plane);
  ExecuteRequest request{.shell_command = "echo one; read line; echo $line", .stdin_open = true};
  auto begun = co_await executions.execute({}, id, request, std::nullopt);
  ExecutionId execution = begun->value.id;
  EXPECT_EQ((co_await executions.follow({.tenant = "other"}, execution, 0)).error().code(),
            Code::kNotFound);
  std::uint64_t last = 0;
  {
    auto first = co_await executions.follow({}, execution, 0);
    EXPECT_TRUE(first && (*first)->live());
    std::string text;
    last = co_await read_until(first->get(), &text, "one\n");
    EXPECT_EQ(text, "one\n");
  }
  // Its client is gone, and it runs on.
  auto second = co_await executions.follow({}, execution, last);
  EXPECT_EQ((*second)->position(), last);
  auto from_nowhere = co_await executions.follow({}, execution, last + 1000);
  EXPECT_EQ((*from_nowhere)->position(), last) << "a number that is not there yet";
  EXPECT_TRUE((co_await executions.write_stdin({}, execution, "two\n", true)).has_value());
  for (ExecutionFeed* feed : {second->get(), from_nowhere->get()}) {
    std::string text;
    (void)co_await read_until(feed, &text, "nothing");
    EXPECT_EQ(text, "two\n") << "only what is behind";
    EXPECT_EQ((*co_await feed->next()), std::nullopt) << "again and again";
    EXPECT_EQ(feed->row().state, model::ExecutionState::kCompleted);
  }
  auto over = co_await executions.follow({}, execution, 0);
  EXPECT_FALSE((*over)->live());
  EXPECT_EQ((*over)->row().output.stdout_bytes, "one\ntwo\n");
  EXPECT_EQ((*co_await (*over)->next()), std::nullopt);
}

TEST(ExecutionFeed, FromTheBeginningBehindAnEventAndOver) { with_control(followed); }

}  // namespace
}  // namespace atl::control::test
