#include "server/prepare_backends.hpp"

#include <gtest/gtest.h>

namespace atl::server {
namespace {

using Names = std::vector<std::string>;
using sandbox::BackendEntry;
using sandbox::BackendOptions;
using sandbox::Prepared;

constexpr cli::Identity kIdentity{.uid = 7, .gid = 8};

// Of three: `plain` needs nothing, `grouped` a group, `sharing` has sandboxes in its groups.
class PrepareBackends : public testing::Test {
 protected:
  PrepareBackends() {
    registry_.add({.name = "plain"});
    add_grouped("grouped", 42);
    registry_.add({.name = "sharing",
                   .prepare_as_root = [this](const BackendOptions&, unsigned uid,
                                             unsigned gid) -> Result<Prepared> {
                     asked_.push_back("sharing " + std::to_string(uid) + " " + std::to_string(gid));
                     return Prepared();
                   },
                   .shares_groups = true});
    registry_.add(
        {.name = "broken",
         .prepare_as_root = [](const BackendOptions&, unsigned, unsigned) -> Result<Prepared> {
           return fail(Code::kHostUnsupported, "no");
         }});
  }

  void add_grouped(const std::string& name, unsigned group) {
    registry_.add({.name = name,
                   .prepare_as_root = [this, name, group](const BackendOptions& options, unsigned,
                                                          unsigned) -> Result<Prepared> {
                     asked_.push_back(name);
                     run_folder_ = options.run_folder;
                     named_ = options.named;
                     Prepared prepared;
                     prepared.group = group;
                     return prepared;
                   }});
  }

  Result<PreparedBackends> prepare(const Names& names) {
    std::vector<WantedBackend> wanted;
    for (const std::string& name : names) wanted.push_back({name});
    return prepare_all(wanted);
  }

  Result<PreparedBackends> prepare_all(const std::vector<WantedBackend>& wanted) {
    Place place{.data_folder = "/data", .run_folder = "s1"};
    return prepare_backends(registry_, wanted, config::default_config(false), place, kIdentity);
  }

  sandbox::Registry registry_;
  Names asked_;
  std::string run_folder_;
  bool named_ = false;
};

TEST_F(PrepareBackends, AsksEachThatIsNamed) {
  Result<PreparedBackends> all = prepare({"plain", "grouped", "no-such-backend"});
  ASSERT_TRUE(all);
  EXPECT_EQ(asked_, Names{"grouped"});
  EXPECT_EQ(all->group, 42u);
  EXPECT_EQ(run_folder_, "s1");
  EXPECT_TRUE(all->by_name.contains("grouped"));
}

TEST_F(PrepareBackends, FailsOnlyWithTheDefaultOne) {
  EXPECT_EQ(prepare({"broken", "plain"}).error().code(), Code::kHostUnsupported);
  EXPECT_TRUE(prepare({"plain", "broken"}));
}

// A group must not reach sandboxes that have the groups of the server.
TEST_F(PrepareBackends, KeepsNoGroupBesideABackendThatSharesIt) {
  Result<PreparedBackends> all = prepare({"sharing", "grouped"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->group, std::nullopt);
  EXPECT_FALSE(all->by_name.contains("grouped"));
  EXPECT_EQ(asked_.front(), "sharing 7 8");
}

TEST_F(PrepareBackends, KeepsOneGroup) {
  add_grouped("second", 43);
  Result<PreparedBackends> all = prepare({"grouped", "second"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->group, 42u);
  EXPECT_FALSE(all->by_name.contains("second"));
}

// A backend that gives this process power is told whether the operator wanted that.
TEST_F(PrepareBackends, TellsWhoNamedIt) {
  ASSERT_TRUE(prepare({"grouped"}));
  EXPECT_TRUE(named_);
  ASSERT_TRUE(prepare_all({{"plain"}, {"grouped", false}}));
  EXPECT_FALSE(named_);
}

TEST(WantedBackends, AreTheDefaultThoseOfTemplatesAndThoseWithABlock) {
  auto loaded = config::load(
      {.file = config::FileText{.name = "f.json", .text = R"({"sandbox": {"backend": "native",
        "backends": {"docker": {"networkMode": "bridge"}, "native": {"runDir": "/r"}}}})"}});
  ASSERT_TRUE(loaded);
  std::vector<WantedBackend> expected{{"native"}, {"srt", false}, {"docker"}};
  EXPECT_EQ(wanted_backends(*loaded, {"srt", "native"}), expected);
  expected[1] = {"docker"};
  expected.pop_back();
  EXPECT_EQ(wanted_backends(*loaded, {"docker"}), expected);
}

}  // namespace
}  // namespace atl::server
