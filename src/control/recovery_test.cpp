// What a server does with sessions of the last one whose backend does not answer, or cannot find
// anything again; and that it can be stopped meanwhile.
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/event.hpp"
#include "async/run.hpp"
#include "control/control.hpp"
#include "control/test_store.hpp"

namespace atl::control::test {
namespace {

using async::Task;
using model::SessionState;

constexpr std::chrono::seconds kLongest{60};

// Whatever it is asked it never answers, but that nothing is there when it is `empty`.
class SilentBackend final : public sandbox::Backend {
 public:
  explicit SilentBackend(bool empty) : empty_(empty) {}
  Task<Result<std::unique_ptr<sandbox::Sandbox>>> create(sandbox::SandboxSpec) override {
    co_await never_.wait();
    co_return fail(Code::kBackend, "no answer");
  }
  Task<Result<std::unique_ptr<sandbox::Sandbox>>> reattach(SandboxId) override {
    if (!empty_) co_await never_.wait();
    co_return fail(Code::kNotFound, "there is none");
  }
  Task<Result<std::vector<SandboxId>>> list() override {
    if (!empty_) co_await never_.wait();
    co_return std::vector<SandboxId>();
  }
  Task<Result<void>> destroy(SandboxId) override {
    if (!empty_) co_await never_.wait();
    co_return Result<void>();
  }

 private:
  bool empty_;
  async::Event never_;
};

void add_backend(sandbox::Registry& registry, std::string name, bool empty,
                 std::vector<sandbox::Cap> caps) {
  registry.add(
      {.name = std::move(name),
       .caps = std::move(caps),
       .probe = [] { return Result<void>(); },
       .make = [empty](sandbox::BackendOptions) -> Result<std::unique_ptr<sandbox::Backend>> {
         return std::make_unique<SilentBackend>(empty);
       }});
}

model::Session session_of(const std::string& backend, SessionState state) {
  model::Session row;
  row.id = SessionId::make();
  row.tenant = "default";
  row.template_id = "shell-default";
  row.runtime_node = "local";
  row.backend = backend;
  row.sandbox_id = SandboxId::make();
  row.state = state;
  return row;
}

struct Stage {
  std::string backend = "silent";
  std::vector<model::Session> rows;
  OnWrite on_write;
  std::function<Task<void>(control::Control*)> body;
};

Task<Result<void>> stop(control::Control* control) {
  co_await control->stop();
  co_return Result<void>();
}

Task<Result<void>> play(async::Executor executor, std::string folder, Stage* stage) {
  sandbox::Registry registry;
  add_backend(registry, "silent", false, {sandbox::Cap::kReattach});
  add_backend(registry, "empty", true, {sandbox::Cap::kReattach});
  add_backend(registry, "mortal", true, {});
  control::ControlOptions options{.executor = executor, .pool_size = 0};
  ATOLL_CO_TRY(options.store,
               co_await store::open_store({.executor = executor, .data_folder = folder}));
  std::vector<store::Change> rows;
  for (const model::Session& row : stage->rows) rows.push_back(store::PutSession{row});
  ATOLL_CO_CHECK(co_await options.store->write(std::move(rows)));
  if (stage->on_write) options.store = watched(std::move(options.store), stage->on_write);
  node::LocalNodeOptions node{.executor = executor, .default_backend = stage->backend};
  options.nodes.push_back(node::make_local_node(registry, std::move(node)));
  control::Control control(std::move(options));
  ATOLL_CO_CHECK(co_await control.start());
  co_await stage->body(&control);
  co_return co_await async::with_deadline(stop(&control), async::deadline_in(kLongest),
                                          Code::kExecTimeout, "the server does not end");
}

void with_rows(Stage stage) {
  std::string folder = (std::filesystem::temp_directory_path() / "atoll-rec-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  Result<void> ended = async::run_to_end<Result<void>>(
      [&](async::Executor executor) { return play(executor, folder, &stage); });
  EXPECT_TRUE(ended) << ended.error().to_string();
  std::filesystem::remove_all(folder);
}

TEST(Recovery, ABackendThatHangsHoldsUpNeitherTheStartNorTheEnd) {
  Stage stage;
  for (int i = 0; i < 40; ++i) stage.rows.push_back(session_of("silent", SessionState::kReady));
  stage.rows.push_back(session_of("silent", SessionState::kCreating));
  stage.body = [](control::Control* control) -> Task<void> {
    EXPECT_EQ(control->sessions().finding_count(), 41u);
    co_return;
  };
  with_rows(std::move(stage));
}

Task<void> expect_failed(control::Control* control, std::vector<SessionId> ids) {
  EXPECT_EQ(control->sessions().finding_count(), 0u);
  for (const SessionId& id : ids) {
    Result<model::Session> row = co_await control->store().session(id);
    if (!row) {
      ADD_FAILURE() << row.error().to_string();
      co_return;
    }
    EXPECT_EQ(row->state, SessionState::kFailed);
    EXPECT_EQ(row->error_code, "backend_error");
    EXPECT_NE(row->error_message.find("mortal"), std::string::npos) << row->error_message;
    EXPECT_TRUE(row->ended_at);
  }
}

TEST(Recovery, SessionsOfABackendThatFindsNothingAgainFailAtOnce) {
  Stage stage{.backend = "mortal"};
  stage.rows = {session_of("mortal", SessionState::kReady),
                session_of("mortal", SessionState::kPaused)};
  std::vector<SessionId> ids{stage.rows[0].id, stage.rows[1].id};
  stage.body = [ids](control::Control* control) { return expect_failed(control, ids); };
  with_rows(std::move(stage));
}

Task<Result<void>> write_slowly(const std::vector<store::Change>* changes, bool* writing) {
  for (const store::Change& change : *changes) {
    const auto* put = std::get_if<store::PutSession>(&change);
    *writing |= put != nullptr && put->row.state == SessionState::kFailed;
  }
  if (*writing) co_await async::sleep_for(std::chrono::milliseconds(200));
  co_return Result<void>();
}

Task<void> until_set(const bool* flag) {
  while (!*flag) co_await async::yield_now();
}

// Recovery is cancelled while the end of a session is on its way to the store: the session must
// come to its end all the same, or whoever ends it next waits for ever.
TEST(Recovery, AServerThatIsStoppedWhileASessionIsGivenUp) {
  bool writing = false;
  Stage stage{.backend = "empty"};
  stage.rows = {session_of("empty", SessionState::kReady)};
  stage.on_write = [&writing](const std::vector<store::Change>* changes) {
    return write_slowly(changes, &writing);
  };
  stage.body = [&writing](control::Control*) { return until_set(&writing); };
  with_rows(std::move(stage));
}

}  // namespace
}  // namespace atl::control::test
