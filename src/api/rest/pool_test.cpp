// The warm pool, in a server on sandboxes without walls.
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"
#include "async/task_group.hpp"

namespace atl::api::rest::test {
namespace {

using namespace std::chrono_literals;

node::PoolFigures of_shell(const Api* api) {
  return api->control->placement().pool_figures()["shell-default"];
}

std::size_t all_ready(const Api* api) {
  std::size_t count = 0;
  for (const auto& [id, figures] : api->control->placement().pool_figures()) count += figures.ready;
  return count;
}

// The test's own deadline is with_api()'s.
template <typename Condition>
Task<void> until(Condition condition) {
  while (!condition()) co_await async::sleep_for(5ms);
}

Task<void> only_shell(Api* api, std::uint32_t size) {
  for (std::string id : {"python-default", "node-default"}) {
    auto origin = api->control->templates().find(id);
    model::TemplateSpec spec = (*origin)->spec;
    spec.pool = 0;
    EXPECT_TRUE((co_await api->control->templates().replace({}, id, spec)).has_value());
  }
  co_await until([api, size] { return all_ready(api) == size && of_shell(api).ready == size; });
}

Task<std::string> make(Api* api, std::string config) {
  Reply made = co_await api->call(Method::kPost, "/api/v1/sessions",
                                  R"({"template_id":"shell-default","config":)" + config + "}",
                                  {{"Prefer", "wait"}});
  EXPECT_EQ(made.status, 201) << made.body;
  co_return made.at({"id"});
}

Task<void> claims(Api* api) {
  co_await only_shell(api, 2);
  std::string id = co_await make(api, R"({"environment":{"A":"b"},"allow_network":false})");
  EXPECT_EQ(of_shell(api).hits, 1u);
  Reply ran = co_await api->call(Method::kPost, "/api/v1/sessions/" + id + "/execute",
                                 R"({"command":"echo $A"})", {{"Prefer", "wait"}});
  EXPECT_EQ(ran.at({"stdout"}), "b\n") << ran.body;
  co_await make(api, R"({"resources":{"memory":64}})");
  EXPECT_EQ(of_shell(api).hits, 1u);
  EXPECT_EQ(of_shell(api).misses, 1u);
  co_await until([api] { return of_shell(api).ready == 2; });
  Reply metrics = co_await api->call(Method::kGet, "/metrics");
  EXPECT_NE(metrics.body.find("warm_pool_hits_total{"), std::string::npos);
  // Another version of the template: what waits is of the old one.
  Reply changed = co_await api->call(Method::kPut, "/api/v1/templates/shell-default",
                                     R"({"name":"x","language":"bash","pool":0})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  co_await until([api] { return all_ready(api) == 0; });
}

// The pool has not looked since: what it has is of a template that is no more.
Task<void> replaced(Api* api) {
  co_await only_shell(api, 2);
  auto origin = api->control->templates().find("shell-default");
  model::TemplateSpec spec = (*origin)->spec;
  spec.pool = 0;
  EXPECT_TRUE((co_await api->control->templates().replace({}, "shell-default", spec)).has_value());
  (void)co_await api->make_session();
  EXPECT_EQ(of_shell(api).hits, 0u);
}

Task<void> total(Api* api) {
  co_await until([api] { return all_ready(api) == 2; });
  (void)co_await api->make_session();
  co_await until([api] { return all_ready(api) == 2; });
}

std::atomic<double> free_memory = 1;

Task<void> memory(Api* api) {
  co_await only_shell(api, 2);
  free_memory = 0.04;
  co_await until([api] { return all_ready(api) == 0; });
  (void)co_await api->make_session();
  EXPECT_EQ(all_ready(api), 0u);
  free_memory = 0.5;
  co_await until([api] { return of_shell(api).ready == 2; });
}

// Two at once, then two a second: four need a second at least. From before the server's start: the
// pool fills from then on, whenever this comes to run.
Task<void> rate(Api* api, std::chrono::steady_clock::time_point begin) {
  co_await until([api] { return all_ready(api) == 4; });
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 900ms);
}

Task<void> health(Api* api) {
  co_await only_shell(api, 2);
  std::vector<std::string> old;
  for (const auto& entry : std::filesystem::directory_iterator(api->folder + "run")) {
    int pid = 0;
    std::ifstream(entry.path() / "pid") >> pid;
    EXPECT_GT(pid, 1);
    ::kill(pid, SIGKILL);
    old.push_back(entry.path());
  }
  EXPECT_EQ(old.size(), 2u);
  // What is dead is taken away, and others come in its place.
  co_await until([&] {
    for (const std::string& path : old) {
      if (std::filesystem::exists(path)) return false;
    }
    return of_shell(api).ready == 2;
  });
  (void)co_await api->make_session();
  EXPECT_EQ(of_shell(api).hits, 1u);
}

// A sandbox that waited, one commit for the session and its result; and one that others see.
Task<void> runs_at_once(Api* api) {
  co_await only_shell(api, 2);
  Reply ran = co_await api->call(Method::kPost, "/api/v1/run",
                                 R"({"template_id":"shell-default","command":"echo 1"})");
  EXPECT_EQ(ran.at({"stdout"}), "1\n") << ran.body;
  EXPECT_EQ(of_shell(api).hits, 1u);
  Reply over = co_await api->call(Method::kGet, "/api/v1/sessions/" + ran.at({"session_id"}));
  EXPECT_EQ(over.at({"status"}), "terminated") << over.body;
  EXPECT_NE(over.at({"ended_at"}), "") << over.body;

  async::TaskGroup group(api->executor);
  group.spawn([](Api* one) -> Task<void> {
    Reply slow = co_await one->call(
        Method::kPost, "/api/v1/run",
        R"({"template_id":"shell-default","command":"until [ -e go ]; do sleep 0.01; done"})");
    EXPECT_EQ(slow.at({"exit_code"}), "0") << slow.body;
  }(api));
  std::string id;
  while (id.empty()) {
    Reply listed = co_await api->call(Method::kGet, "/api/v1/sessions?status=running");
    id = listed.at({"sessions", "0", "id"});
  }
  std::string path = "/api/v1/sessions/" + id;
  Reply beside = co_await api->call(Method::kPost, path + "/execute", R"({"command":"touch go"})",
                                    {{"Prefer", "wait"}});
  EXPECT_EQ(beside.at({"exit_code"}), "0") << beside.body;
  co_await group.wait_idle();
  Reply results = co_await api->call(Method::kGet, path + "/results");
  EXPECT_EQ(results.at({"results", "1", "state"}), "completed") << results.body;
}

ApiWish pool_of(std::uint32_t size, node::PoolSettings settings = {}) {
  ApiWish wish;
  wish.control.pool_size = size;
  wish.node.pool = std::move(settings);
  wish.node.pool.memory = [] { return free_memory.load(); };
  free_memory = 1;
  return wish;
}

TEST(Pool, ClaimsAndDrains) { with_api(claims, pool_of(2)); }
TEST(Pool, GivesNothingOfAnOldTemplate) { with_api(replaced, pool_of(2)); }
// covers: run
TEST(Pool, RunsAtOnce) { with_api(runs_at_once, pool_of(2)); }
TEST(Pool, StaysBelowItsTotal) { with_api(total, pool_of(5, {.max_total = 2})); }
TEST(Pool, ShrinksWithoutMemory) { with_api(memory, pool_of(2)); }
TEST(Pool, FillsAtItsRate) {
  auto begin = std::chrono::steady_clock::now();
  with_api([begin](Api* api) { return rate(api, begin); },
           pool_of(2, {.max_total = 4, .per_second = 2}));
}
TEST(Pool, ReplacesTheDead) { with_api(health, pool_of(2, {.check_interval = 20ms})); }
TEST(Pool, KnowsTheMemory) {
  EXPECT_GT(node::available_memory(), 0);
  EXPECT_LE(node::available_memory(), 1);
}

}  // namespace
}  // namespace atl::api::rest::test
