#include "control/test_control.hpp"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "observe/log.hpp"
#include "sandbox/registry.hpp"

namespace atl::backends {
void register_fake(sandbox::Registry& registry);
}

namespace atl::control::test {

namespace {

using async::Task;
namespace fs = std::filesystem;
constexpr std::chrono::seconds kLongest{100};

Task<Result<void>> as_result(Task<void> task) {
  co_await std::move(task);
  co_return Result<void>();
}

Task<Result<void>> run_all(async::Executor executor, std::string folder,
                           std::function<Task<void>(Plane*)> body, PlaneWish wish) {
  sandbox::Registry registry;
  backends::register_fake(registry);
  ManualClock clock;
  clock.advance(std::chrono::hours(24 * 365));  // no time of before 1970
  ControlOptions options = std::move(wish.control);
  options.executor = executor;
  options.clock = &clock;
  std::string data = folder + "/data";
  options.journal_folder = data + "/journals";
  options.snapshot_folder = data + "/snapshots";
  if (!options.workspace_folder.empty()) options.workspace_folder = folder + "/workspaces";
  fs::create_directories(data);
  if (wish.before != nullptr) wish.before(data);
  ATOLL_CO_TRY(options.store,
               co_await store::open_store({.executor = executor, .data_folder = data}));
  if (!wish.rows.empty()) {
    ATOLL_CO_CHECK(co_await options.store->write(std::move(wish.rows)));
  }
  if (wish.on_write) options.store = watched(std::move(options.store), std::move(wish.on_write));
  sandbox::Registry steps;
  if (wish.steps != nullptr) register_steps(steps, wish.steps);
  auto add_node = [&](std::string id, const sandbox::Registry& has, std::string backend) {
    node::LocalNodeOptions node{
        .executor = executor, .id = std::move(id), .default_backend = std::move(backend)};
    node.backend.run_folder = folder + "/run";
    node.packages_folder = data + "/packages";
    options.nodes.push_back(node::make_local_node(has, std::move(node)));
  };
  if (wish.two_nodes) {
    add_node("a", registry, "fake");
    add_node("b", steps, "steps");
  } else {
    add_node("local", wish.steps != nullptr ? steps : registry,
             wish.steps != nullptr ? "steps" : "fake");
  }
  Control control(std::move(options));
  ATOLL_CO_CHECK(co_await control.start());
  Plane plane{executor, &control, &clock, folder};
  Result<void> ended = co_await async::with_deadline<void>(
      as_result(body(&plane)), async::deadline_in(kLongest), Code::kExecTimeout, "the test hangs");
  co_await control.stop();
  co_return ended;
}

}  // namespace

void with_control(std::function<Task<void>(Plane*)> body, PlaneWish wish) {
  log::set_level(log::Level::kOff);
  std::string folder = (fs::temp_directory_path() / "atoll-control-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  Result<void> ended = async::run_to_end<Result<void>>([&](async::Executor executor) {
    return run_all(std::move(executor), folder, body, std::move(wish));
  });
  EXPECT_TRUE(ended.has_value()) << ended.error().to_string();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

Task<model::Session> until_state(Plane* plane, SessionId id, model::SessionState state) {
  for (;;) {
    Result<model::Session> row = co_await plane->control->sessions().get({}, id);
    if (!row) {
      ADD_FAILURE() << row.error().to_string();
      co_return model::Session();
    }
    if (row->state == state) co_return std::move(*row);
    co_await async::sleep_for(std::chrono::milliseconds(1));
  }
}

Task<SessionId> make_session(Plane* plane, Caller caller) {
  auto made = co_await plane->control->session_maker().create(
      std::move(caller), {.template_id = "shell-default", .wait = std::chrono::seconds(60)});
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  co_return made ? made->value.id : SessionId();
}

}  // namespace atl::control::test
