// Every field of the configuration is handed on to somebody, or its description says that it is not
// in use yet. What each does is for the tests of those who are told.
#include "server/settings.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "config/rules.hpp"
#include "config/schema.hpp"

namespace atl::server {
namespace {

std::string text_of(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(ATOLL_SOURCE_DIR "/" + file).rdbuf();
  return text.str();
}

// "sandbox.runtime.cleanupOnExit": "config.sandbox.runtime.cleanup_on_exit".
std::string member_of(const std::string& path) {
  std::string member = "config.";
  for (char letter : path) {
    bool upper = letter >= 'A' && letter <= 'Z';
    if (upper) member += '_';
    member += upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return member;
}

bool mentions(const std::string& text, const std::string& member) {
  for (std::size_t at = text.find(member); at != std::string::npos;
       at = text.find(member, at + 1)) {
    char behind = text[at + member.size()];
    bool longer = behind == '_' || (behind >= 'a' && behind <= 'z');
    if (!longer) return true;
  }
  return false;
}

TEST(Settings, EveryFieldGoesSomewhere) {
  std::string text = text_of("src/server/settings.cpp") + text_of("src/server/serve.cpp") +
                     text_of("apps/atoll-server/main.cpp");
  ASSERT_GT(text.size(), 1000u);
  config::for_each_leaf(config::schema(), [&](const config::Node& leaf) {
    if (leaf.path.starts_with("sandbox.backends.")) return;  // a backend gets its block as a whole
    bool used = mentions(text, member_of(leaf.path));
    EXPECT_EQ(used, !leaf.rule->later) << leaf.path;
  });
}

TEST(Settings, ValuesArrive) {
  config::Config config = config::default_config(false);
  config.executions.queue = 3;
  config.pool.check_interval = 7;
  config.sandbox.runtime.timeout = 11;
  config.sandbox.mode = config::SandboxMode::kShared;
  config.sandbox.filesystem.deny_read = {"/etc/x"};
  control::ControlOptions control = control_options(config, {});
  EXPECT_EQ(control.executions.waiting, 3u);
  EXPECT_EQ(node_options(config, {}).pool.check_interval, std::chrono::seconds(7));
  EXPECT_EQ(control.limits.timeout_seconds, 11u);
  EXPECT_EQ(control.mode, control::Mode::kShared);
  EXPECT_EQ(node_options(config, {}).policy.filesystem.deny_read.front(), "/etc/x");
  config.sandbox.enabled = false;
  EXPECT_EQ(control_options(config, {}).mode, control::Mode::kDisabled);
}

}  // namespace
}  // namespace atl::server
