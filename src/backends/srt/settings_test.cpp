#include "backends/srt/settings.hpp"

#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace atl::backends::srt {
namespace {

SettingsPlan some_plan() {
  return {.network = {.allowed_domains = {"good.test"}, .denied_domains = {"bad.good.test"}},
          .filesystem = {.deny_read = {"/secret"},
                         .allow_write = {"/data", "/secret/drop"},
                         .deny_write = {"/data/*.pem"}},
          .hidden = {"/var/lib/atoll"},
          .shown = {"/opt/guest"},
          .writable = {"/w", "/t"}};
}

boost::json::value parsed(const Result<std::string>& text) {
  EXPECT_TRUE(text) << text.error().to_string();
  auto value = codec::parse(text.value_or("null"));
  return value ? *value : boost::json::value();
}

std::vector<std::string> paths(const boost::json::value& settings, const char* list) {
  std::vector<std::string> all;
  for (const boost::json::value& one : settings.at("filesystem").at(list).as_array()) {
    EXPECT_TRUE(one.at("literal").as_bool());
    all.emplace_back(one.at("path").as_string());
  }
  return all;
}

using Paths = std::vector<std::string>;

TEST(SrtSettings, SayWhatThePolicySays) {
  boost::json::value all = parsed(settings_text("", some_plan()));
  EXPECT_EQ(all.at("network").at("allowedDomains"), boost::json::array{"good.test"});
  EXPECT_EQ(all.at("network").at("deniedDomains"), boost::json::array{"bad.good.test"});
  EXPECT_EQ(all.at("network").as_object().contains("allowLocalBinding"), false);
  EXPECT_EQ(paths(all, "denyRead"), (Paths{"/var/lib/atoll", "/secret"}));
  EXPECT_EQ(paths(all, "allowWrite"), (Paths{"/w", "/t", "/data", "/secret/drop"}));
  EXPECT_EQ(paths(all, "denyWrite"), Paths{"/data/*.pem"});
  // What may be written may be read, but not against a rule.
  EXPECT_EQ(paths(all, "allowRead"), (Paths{"/w", "/t", "/opt/guest", "/data"}));
}

TEST(SrtSettings, EmptyPolicyIsNoNetwork) {
  boost::json::value all = parsed(settings_text("", {}));
  EXPECT_TRUE(all.at("network").at("allowedDomains").as_array().empty());
  EXPECT_TRUE(all.at("network").at("deniedDomains").as_array().empty());
  for (const char* list : {"denyRead", "allowWrite", "denyWrite"})
    EXPECT_TRUE(paths(all, list).empty());
}

TEST(SrtSettings, BuildOnTheOperatorsFile) {
  std::string base = R"({"mandatoryDenySearchDepth": 5,
                         "network": {"allowedDomains": ["other.test", "good.test"],
                                     "deniedDomains": [], "strictAllowlist": true},
                         "filesystem": {"denyRead": ["/x"], "allowWrite": [], "denyWrite": []}})";
  boost::json::value all = parsed(settings_text(base, some_plan()));
  EXPECT_EQ(all.at("mandatoryDenySearchDepth"), 5);
  EXPECT_EQ(all.at("network").at("strictAllowlist"), true);
  EXPECT_EQ(all.at("network").at("allowedDomains"),
            (boost::json::array{"other.test", "good.test"}));
  EXPECT_EQ(all.at("filesystem").at("denyRead").as_array().size(), 3u);
  EXPECT_EQ(all.at("filesystem").at("denyRead").at(0), "/x");
}

TEST(SrtSettings, APolicyTakesThePlaceOfTheFilesDomains) {
  std::string base =
      R"({"network": {"allowedDomains": ["file.test"], "deniedDomains": ["no.test"]}})";
  SettingsPlan plan = some_plan();
  plan.network.allow_others = false;
  boost::json::value network = parsed(settings_text(base, plan)).at("network");
  EXPECT_EQ(network.at("allowedDomains"), (boost::json::array{"good.test"}));
  EXPECT_EQ(network.at("deniedDomains").at(0), "no.test");
}

TEST(SrtSettings, RefuseAFileThatIsNone) {
  for (const char* base : {"{", "[]", "7", R"({"network": 1})",
                           R"({"network": {"allowedDomains": "x"}})", R"({"filesystem": []})"}) {
    Result<void> checked = check_base(base);
    ASSERT_FALSE(checked) << base;
    EXPECT_EQ(checked.error().code(), Code::kInvalidArgument) << base;
  }
  EXPECT_TRUE(check_base(""));
  EXPECT_TRUE(check_base("{}"));
}

TEST(SrtSettings, RefuseAFileThatDropsTheWalls) {
  Result<void> checked = check_base(R"({"filesystem": {"disabled": true}})");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), Code::kPolicyUnsupported);
  EXPECT_TRUE(check_base(R"({"filesystem": {"disabled": false}})"));
}

}  // namespace
}  // namespace atl::backends::srt
