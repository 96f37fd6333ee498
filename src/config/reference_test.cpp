#include "config/reference.hpp"

#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "codec/json.hpp"
#include "config/listing.hpp"
#include "config/schema.hpp"
#include "config/test_sources.hpp"
#include "config/values.hpp"

namespace atl::config {
namespace {

TEST(ConfigReference, EveryFieldHasARule) {
  std::set<std::string> fields;
  for_each_leaf(schema(), [&](const Node& leaf) {
    fields.insert(leaf.path);
    ASSERT_NE(leaf.rule, nullptr) << leaf.path << " has no rule";
    EXPECT_TRUE(leaf.rule->says.ends_with('.')) << leaf.path;
    bool number_or_text = leaf.kind != Node::Kind::kBoolean && leaf.kind != Node::Kind::kChoice;
    EXPECT_EQ(leaf.rule->most > 0, number_or_text) << leaf.path << " has no limit";
    bool many = leaf.kind == Node::Kind::kTexts || leaf.kind == Node::Kind::kTextMap ||
                leaf.kind == Node::Kind::kPresets;
    EXPECT_EQ(leaf.rule->items > 0, many) << leaf.path << " has no limit";
  });
  std::size_t rules = 0;
  std::vector<std::span<const Rule>> tables{sandbox_rules(), server_rules()};
  for (const BackendBlock* block : backend_blocks()) tables.push_back(block->rules);
  for (std::span<const Rule> table : tables) {
    rules += table.size();
    for (const Rule& rule : table)
      EXPECT_TRUE(fields.contains(std::string(rule.path))) << rule.path;
  }
  EXPECT_EQ(rules, fields.size());
}

TEST(ConfigReference, DefaultsObeyTheRules) {
  for (bool block : {false, true}) {
    std::string text =
        codec::serialize(as_document(list_values({.config = default_config(block)})));
    EXPECT_EQ(problem_of(text), "");
  }
}

// The rules' limits and the structs' types must agree: what a rule lets through must be decodable.
TEST(ConfigReference, LimitsFitTheTypes) {
  for_each_leaf(schema(), [&](const Node& leaf) {
    if (leaf.kind != Node::Kind::kInteger) return;
    std::string most = std::to_string(leaf.rule->most);
    std::string problems = problems_of({.overrides = {{leaf.path, most, "--set"}}});
    EXPECT_EQ(problems.find("must be"), std::string::npos) << leaf.path << ": " << problems;
    std::string more = std::to_string(leaf.rule->most + 1);
    EXPECT_NE(problems_of({.overrides = {{leaf.path, more, "--set"}}}), "") << leaf.path;
  });
}

std::string page() {
  std::stringstream text;
  text << std::ifstream(ATOLL_SOURCE_DIR "/docs/configuration.md").rdbuf();
  return text.str();
}

// `atoll config reference` prints the tables anew.
TEST(ConfigReference, DocsAreUpToDate) {
  EXPECT_NE(page().find(reference_markdown()), std::string::npos) << reference_markdown();
}

TEST(ConfigReference, ExamplesOfTheDocsAreValid) {
  std::string text = page();
  std::size_t count = 0;
  for (std::size_t at = text.find("```json\n"); at != std::string::npos;) {
    std::size_t begin = at + 8;
    std::size_t end = text.find("\n```", begin);
    ASSERT_NE(end, std::string::npos);
    std::string example = text.substr(begin, end - begin);
    EXPECT_EQ(problem_of(example), "") << example;
    ++count;
    at = text.find("```json\n", end);
  }
  EXPECT_GE(count, 2u);
}

TEST(ConfigListing, ShowsOriginsAndHidesSecrets) {
  Sources sources = from_file(R"({
  "sandbox": {"mode": "per-session", "opensandbox": {"vke": {"apiKey": "hidden1"}}},
  "store": {"url": "postgresql://u:hidden2@h/d"}})");
  sources.environment = {{"ATOLL_PACKAGES__INDEX_URL", "https://u:hidden3@h/simple"}};
  Loaded loaded = load_or_die(sources);
  std::map<std::string, Listed> all;
  std::string text;
  for (Listed& listed : list_values(loaded)) {
    text += codec::serialize(listed.value);
    all.emplace(listed.path, std::move(listed));
  }
  EXPECT_EQ(all.at("sandbox.mode").value, boost::json::value("per-session"));
  EXPECT_EQ(all.at("sandbox.mode").origin, "f.json:2");
  EXPECT_EQ(all.at("sandbox.enabled").origin, "default");
  EXPECT_EQ(all.at("packages.index_url").origin, "ATOLL_PACKAGES__INDEX_URL");
  EXPECT_EQ(all.at("sandbox.backends.opensandbox.vke.apiKey").value, boost::json::value("***"));
  EXPECT_EQ(all.at("sandbox.backends.opensandbox.local.apiKey").value, boost::json::value(""));
  text += codec::serialize(as_document(list_values(loaded)));
  EXPECT_EQ(text.find("hidden"), std::string::npos) << text;
}

}  // namespace
}  // namespace atl::config
