// What the operator configures, as a client meets it.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest::test {
namespace {

using namespace std::chrono_literals;

ApiWish with(void (*change)(control::ControlOptions& options)) {
  ApiWish wish;
  change(wish.control);
  return wish;
}

Task<void> full_queue(Api* api) {
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  std::string body = R"({"command":"sleep 1000","timeout":0})";
  Reply first = co_await api->call(Method::kPost, session + "/execute", body);
  EXPECT_EQ(first.status, 202) << first.body;
  Reply second = co_await api->call(Method::kPost, session + "/execute", body);
  EXPECT_EQ(second.status, 202) << second.body;
  Reply third = co_await api->call(Method::kPost, session + "/execute", body);
  EXPECT_EQ(third.status, 429) << third.body;
  EXPECT_EQ(third.at({"code"}), "resource_exhausted");
  EXPECT_FALSE(third.headers.get("retry-after").empty());
  Reply status = co_await api->call(Method::kGet, session + "/status");
  EXPECT_EQ(status.json().at("running").as_array().size(), 1u) << status.body;
  std::string waiting = "/api/v1/executions/" + second.at({"execution_id"});
  Reply queued = co_await api->call(Method::kGet, waiting);
  EXPECT_EQ(queued.at({"state"}), "queued");
  std::string running = "/api/v1/executions/" + first.at({"execution_id"});
  Reply ended = co_await api->call(Method::kDelete, running);
  EXPECT_EQ(ended.status, 204) << ended.body;
  // The place is free again.
  Reply fourth = co_await api->call(Method::kPost, session + "/execute", body);
  EXPECT_EQ(fourth.status, 202) << fourth.body;
}

Task<void> times_and_output(Api* api) {
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  http::Headers wait{{"Prefer", "wait"}};
  Reply slow =
      co_await api->call(Method::kPost, session + "/execute", R"({"command":"sleep 1000"})", wait);
  EXPECT_EQ(slow.at({"state"}), "timed_out") << slow.body;
  Reply code = co_await api->call(Method::kPost, session + "/execute",
                                  R"({"code":"sleep 1000","language":"bash"})", wait);
  EXPECT_EQ(code.at({"state"}), "timed_out") << code.body;
  Reply longest = co_await api->call(Method::kPost, session + "/execute",
                                     R"({"command":"sleep 1000","timeout":0})", wait);
  EXPECT_EQ(longest.at({"state"}), "timed_out") << longest.body;
  Reply more = co_await api->call(Method::kPost, session + "/execute",
                                  R"({"command":"true","timeout":3})", wait);
  EXPECT_EQ(more.status, 422) << more.body;
  Reply loud = co_await api->call(Method::kPost, session + "/execute",
                                  R"({"command":"head -c 5000 /dev/zero | tr '\\0' x"})", wait);
  EXPECT_EQ(loud.at({"truncated"}), "true") << loud.body;
  EXPECT_EQ(loud.at({"stdout"}).size(), 2000u);
  Reply asked = co_await api->call(
      Method::kPost, session + "/execute",
      R"({"command":"head -c 5000 /dev/zero | tr '\\0' x","max_output_bytes":1000})", wait);
  EXPECT_EQ(asked.at({"stdout"}).size(), 1000u);
  Reply greedy = co_await api->call(Method::kPost, session + "/execute",
                                    R"({"command":"true","max_output_bytes":2001})", wait);
  EXPECT_EQ(greedy.status, 422) << greedy.body;
  EXPECT_NE(greedy.at({"detail"}).find("2000"), std::string::npos) << greedy.body;
  // Without the outputs, a page is one look at the store.
  Reply listed = co_await api->call(Method::kGet, session + "/results?output=false&limit=3");
  EXPECT_EQ(listed.json().at("results").as_array().size(), 3u) << listed.body;
  EXPECT_FALSE(listed.at({"next_cursor"}).empty());
  EXPECT_EQ(listed.body.find("xxxx"), std::string::npos);
}

Task<void> lifetimes(Api* api) {
  std::string id = co_await api->make_session();
  std::string path = "/api/v1/sessions/" + id;
  Reply made = co_await api->call(Method::kGet, path);
  EXPECT_EQ(made.at({"config", "timeout_seconds"}), "77") << made.body;
  EXPECT_EQ(made.at({"config", "idle_timeout_seconds"}), "1");
  Reply longer = co_await api->call(Method::kPost, path + "/renew", R"({"seconds":1001})");
  EXPECT_EQ(longer.status, 422) << longer.body;
  Reply greedy = co_await api->call(Method::kPost, "/api/v1/sessions",
                                    R"({"config":{"timeout_seconds":1001}})");
  EXPECT_EQ(greedy.status, 422) << greedy.body;
  for (;;) {  // idle from the beginning
    Reply now = co_await api->call(Method::kGet, path);
    if (now.at({"status"}) != "ready") {
      EXPECT_EQ(now.at({"status"}), "completed") << now.body;
      co_return;
    }
    co_await async::sleep_for(50ms);
  }
}

// One that something runs in, and one that somebody uses, outlive one that was made after them.
Task<void> not_idle(Api* api) {
  control::Sessions& sessions = api->control->sessions();
  std::string running = co_await api->make_session();
  SessionId used(co_await api->make_session());
  std::string execute = "/api/v1/sessions/" + running + "/execute";
  Reply begun = co_await api->call(Method::kPost, execute,
                                   R"({"command":"until [ -e go ]; do sleep 0.01; done"})");
  EXPECT_EQ(begun.status, 202) << begun.body;
  auto one = co_await sessions.live({}, SessionId(running));
  auto other = co_await sessions.live({}, used);
  std::chrono::steady_clock::time_point before;
  {
    Result<control::Use> use = co_await sessions.use({}, used);
    EXPECT_TRUE(use);
    std::string idle = "/api/v1/sessions/" + co_await api->make_session();
    Reply now;
    while (now.at({"status"}) != "completed") {
      co_await async::sleep_for(50ms);
      now = co_await api->call(Method::kGet, idle);
    }
    EXPECT_FALSE((*one)->ending());
    EXPECT_FALSE((*other)->ending());
    before = std::chrono::steady_clock::now();
  }
  EXPECT_GE((*other)->idle_since, before);
  Reply go =
      co_await api->call(Method::kPost, execute, R"({"command":"touch go"})", {{"Prefer", "wait"}});
  EXPECT_EQ(go.at({"exit_code"}), "0") << go.body;
  while ((*one)->running > 0) co_await (*one)->changed.wait();
  EXPECT_GE((*one)->idle_since, before);
}

Task<void> in_order(Api* api) {
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  std::string body = R"({"command":"until [ -e go ]; do sleep 0.01; done"})";
  std::string last;
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    Reply queued = co_await api->call(Method::kPost, session + "/execute", body);
    EXPECT_EQ(queued.status, 202) << queued.body;
    last = "/api/v1/executions/" + queued.at({"execution_id"});
    body = R"({"command":"echo )" + std::to_string(i) + R"( >> log"})";
    if (i > 0) expected += std::to_string(i - 1) + "\n";
  }
  Reply go = co_await api->call(Method::kPut, session + "/files/go", "x",
                                {{"Content-Type", "application/octet-stream"}});
  EXPECT_EQ(go.status, 201) << go.body;
  Reply now;
  while (now.at({"state"}) != "completed") {
    now = co_await api->call(Method::kGet, last);
    EXPECT_NE(now.at({"state"}), "failed") << now.body;
  }
  Reply log = co_await api->call(Method::kGet, session + "/files/log");
  EXPECT_EQ(log.body, expected);
}

Task<void> forgotten_answers(Api* api) {
  http::Headers key{{"Idempotency-Key", "k"}};
  std::string body = R"({"template_id":"shell-default"})";
  Reply one = co_await api->call(Method::kPost, "/api/v1/sessions", body, key);
  co_await async::sleep_for(2ms);  // the age of an answer is counted in those
  Reply two = co_await api->call(Method::kPost, "/api/v1/sessions", body, key);
  EXPECT_EQ(two.status, 202) << two.body;
  EXPECT_NE(one.at({"id"}), two.at({"id"}));
}

Task<void> shared_mode(Api* api) {
  http::Headers wait{{"Prefer", "wait"}};
  std::string body = R"({"template_id":"shell-default","session_key":)";
  Reply one = co_await api->call(Method::kPost, "/api/v1/sessions", body + R"("a"})", wait);
  Reply two = co_await api->call(Method::kPost, "/api/v1/sessions", body + R"("b"})", wait);
  EXPECT_EQ(one.status, 201) << one.body;
  EXPECT_EQ(one.at({"id"}), two.at({"id"}));
}

Task<void> per_session_mode(Api* api) {
  http::Headers wait{{"Prefer", "wait"}};
  std::string body = R"({"template_id":"shell-default","session_key":)";
  Reply one = co_await api->call(Method::kPost, "/api/v1/sessions", body + R"("a"})", wait);
  Reply two = co_await api->call(Method::kPost, "/api/v1/sessions", body + R"("b"})", wait);
  Reply again = co_await api->call(Method::kPost, "/api/v1/sessions", body + R"("a"})", wait);
  EXPECT_NE(one.at({"id"}), two.at({"id"}));
  EXPECT_EQ(one.at({"id"}), again.at({"id"}));
  Reply gone = co_await api->call(Method::kDelete, "/api/v1/sessions/" + one.at({"id"}));
  EXPECT_EQ(gone.status, 204);
  Reply anew = co_await api->call(Method::kPost, "/api/v1/sessions", body + R"("a"})", wait);
  EXPECT_EQ(anew.status, 201) << anew.body;
  EXPECT_NE(one.at({"id"}), anew.at({"id"}));
}

Task<void> disabled_mode(Api* api) {
  Reply refused = co_await api->call(Method::kPost, "/api/v1/sessions", "{}");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.at({"code"}), "sandbox_disabled");
}

Task<void> refused_policy(Api* api) {
  Reply refused = co_await api->call(Method::kPost, "/api/v1/sessions", "{}");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.at({"code"}), "policy_unsupported") << refused.body;
}

Task<void> refused_template(Api* api) {
  for (const char* security :
       {R"({"allow_network":true})", R"({"allowed_domains":["example.org"]})"}) {
    std::string body = R"({"id":"t","language":"bash","security":)";
    Reply made = co_await api->call(Method::kPost, "/api/v1/templates", body + security + "}");
    EXPECT_EQ(made.status, 201) << made.body;
    Reply refused = co_await api->call(Method::kPost, "/api/v1/sessions", R"({"template_id":"t"})");
    EXPECT_EQ(refused.status, 422) << security;
    EXPECT_EQ(refused.at({"code"}), "policy_unsupported") << refused.body;
    Reply gone = co_await api->call(Method::kDelete, "/api/v1/templates/t");
    EXPECT_EQ(gone.status, 204);
  }
  Reply packages = co_await api->call(Method::kPost, "/api/v1/templates",
                                      R"({"id":"t","preinstalled_packages":["x"]})");
  EXPECT_EQ(packages.status, 422);
  EXPECT_EQ(packages.at({"code"}), "no_package_index") << packages.body;
}

Task<void> sizes(Api* api) {
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  Reply large = co_await api->call(Method::kPost, session + "/execute",
                                   R"({"command":")" + std::string(3000, 'x') + "\"}");
  EXPECT_EQ(large.status, 413) << large.body;
  http::Headers bytes{{"Content-Type", "application/octet-stream"}};
  Reply fits =
      co_await api->call(Method::kPut, session + "/files/a", std::string(1000, 'x'), bytes);
  EXPECT_EQ(fits.status, 201) << fits.body;
  Reply not_so =
      co_await api->call(Method::kPut, session + "/files/b", std::string(1001, 'x'), bytes);
  EXPECT_EQ(not_so.status, 413) << not_so.body;
  Reply seen = co_await api->call(Method::kGet, session + "/files/b");
  EXPECT_EQ(seen.status, 404);
  Reply few = co_await api->call(Method::kGet, "/api/v1/runtimes");
  EXPECT_EQ(few.at({"runtimes", "0", "endpoint"}), "http://" + api->address);
}

// A folder of the operator's; gone with the test.
struct Files {
  Files() {
    std::string pattern = std::filesystem::temp_directory_path() / "atoll-boot-XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~Files() { std::filesystem::remove_all(path); }
  void put(const std::string& name, const std::string& content, bool program = false) const {
    std::filesystem::path file = path + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
    if (program) {
      std::filesystem::permissions(file, std::filesystem::perms::owner_exec,
                                   std::filesystem::perm_options::add);
    }
  }
  std::string path;
};

Task<void> bootstrapped(Api* api) {
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  Reply note = co_await api->call(Method::kGet, session + "/files/AGENTS.md");
  EXPECT_EQ(note.body, "be kind");
  Reply run = co_await api->call(Method::kPost, session + "/execute",
                                 R"({"command":"./skills/say/hi.sh; ls"})", {{"Prefer", "wait"}});
  EXPECT_EQ(run.at({"stdout"}), "hi\nAGENTS.md\nskills\n") << run.body;
}

TEST(Settings, FullQueue) {
  with_api(full_queue,
           with([](auto& options) { options.executions = {.at_once = 1, .waiting = 1}; }));
}
TEST(Settings, TheQueueKeepsItsOrder) {
  with_api(in_order, with([](auto& options) { options.executions = {.at_once = 1}; }));
}
TEST(Settings, AnswersAreForgotten) {
  with_api(forgotten_answers, with([](auto& options) { options.answers_kept = 0s; }));
}
TEST(Settings, NotIdle) {
  // Long enough for a busy machine to begin what is to keep them alive.
  with_api(not_idle, with([](auto& options) { options.limits.idle_timeout_seconds = 5; }));
}
TEST(Settings, TimesAndOutput) {
  with_api(times_and_output, with([](auto& options) {
             options.executions = {
                 .command_time = 1s, .code_time = 1s, .longest_time = 2s, .output_bytes = 2000};
           }));
}
TEST(Settings, Lifetimes) {
  with_api(lifetimes, with([](auto& options) {
             options.limits = {
                 .max_timeout_seconds = 1000, .timeout_seconds = 77, .idle_timeout_seconds = 1};
           }));
}
TEST(Settings, ModeShared) {
  with_api(shared_mode, with([](auto& options) { options.mode = control::Mode::kShared; }));
}
TEST(Settings, ModePerSession) { with_api(per_session_mode); }
TEST(Settings, ModeDisabled) {
  with_api(disabled_mode, with([](auto& options) { options.mode = control::Mode::kDisabled; }));
}
TEST(Settings, DomainsThatNobodyCanAllow) {
  ApiWish wish;
  wish.node.policy.network.allowed_domains = {"example.org"};
  with_api(refused_policy, std::move(wish));
}
TEST(Settings, FilesThatNobodyCanHide) {
  ApiWish wish;
  wish.node.policy.filesystem.deny_read = {"/etc/hostname"};
  with_api(refused_policy, std::move(wish));
}
TEST(Settings, TemplatesThatNobodyCanMake) { with_api(refused_template); }
TEST(Settings, SizesAndEndpoint) {
  ApiWish wish;
  wish.body_bytes = 2048;
  wish.upload_bytes = 1000;
  with_api(sizes, std::move(wish));
}
TEST(Settings, BootstrapFiles) {
  Files files;
  files.put("AGENTS.md", "be kind");
  files.put("other.md", "not listed");
  files.put("skills/say/hi.sh", "#!/bin/sh\necho hi\n", true);
  ApiWish wish;
  wish.node.bootstrap_folder = files.path;
  wish.node.bootstrap.files = {"AGENTS.md", "missing.md"};
  with_api(bootstrapped, std::move(wish));
}
TEST(Settings, BootstrapFolder) {
  Files files;
  files.put("init/AGENTS.md", "be kind");
  files.put("listed.md", "but there is a folder");
  files.put("skills/say/hi.sh", "#!/bin/sh\necho hi\n", true);
  ApiWish wish;
  wish.node.bootstrap_folder = files.path;
  wish.node.bootstrap.files = {"listed.md"};
  with_api(bootstrapped, std::move(wish));
}

}  // namespace
}  // namespace atl::api::rest::test
