// The workspace of a session with a key, on the host and in the next session with that key.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;

Task<SessionId> create(Plane* plane) {
  auto made = co_await plane->control->session_maker().create(
      {}, {.template_id = "shell-default", .session_key = "k", .wait = std::chrono::seconds(60)});
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  co_return made ? made->value.id : SessionId();
}

Task<std::string> run(Plane* plane, SessionId id, std::string command) {
  auto ran = co_await plane->control->executions().execute(
      {}, std::move(id), {.shell_command = std::move(command)},
      async::deadline_in(std::chrono::hours(1)));
  EXPECT_TRUE(ran.has_value()) << ran.error().to_string();
  co_return ran ? ran->value.output.stdout_bytes : std::string();
}

std::string on_host(const Plane* plane, const std::string& name) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(plane->folder + "/workspaces")) {
    if (entry.path().filename() != name) continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    return text.str();
  }
  return "nothing";
}

Task<void> kept(Plane* plane) {
  SessionId first = co_await create(plane);
  (void)co_await run(plane, first, "echo one > file");
  EXPECT_EQ(on_host(plane, "file"), "one\n") << "when the answer is there";
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, first)).has_value());
  SessionId second = co_await create(plane);
  EXPECT_NE(second, first);
  EXPECT_EQ(co_await run(plane, second, "cat file"), "one\n");
}

TEST(WorkspaceCopies, AreThereAfterEachExecutionAndInTheNextSession) {
  with_control(kept, {.control = {.pool_size = 0, .workspace_folder = "kept"}});
}

}  // namespace
}  // namespace atl::control::test
