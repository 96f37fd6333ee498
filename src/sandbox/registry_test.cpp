#include "sandbox/registry.hpp"

#include <gtest/gtest.h>

namespace atl::sandbox {
namespace {

TEST(Registry, FindsByNameAndListsInOrder) {
  Registry registry;
  registry.add({.name = "native", .status = Maturity::kStable, .caps = {Cap::kExec}});
  registry.add({.name = "docker"});
  ASSERT_EQ(registry.list().size(), 2u);
  EXPECT_EQ(registry.list()[0].name, "docker");
  Result<const BackendEntry*> native = registry.get("native");
  ASSERT_TRUE(native.has_value());
  EXPECT_TRUE((*native)->has(Cap::kExec));
  EXPECT_FALSE((*native)->has(Cap::kPause));
}

TEST(Registry, UnknownNameTellsWhatThereIs) {
  Registry registry;
  registry.add({.name = "native"});
  registry.add({.name = "docker"});
  Result<const BackendEntry*> none = registry.get("qemu");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code(), Code::kUnsupportedBackend);
  EXPECT_NE(none.error().message().find("docker, native"), std::string::npos);
}

TEST(Registry, TheLaterEntryReplacesTheEarlier) {
  Registry registry;
  registry.add({.name = "fake", .status = Maturity::kBeta});
  registry.add({.name = "fake", .status = Maturity::kStable});
  ASSERT_EQ(registry.list().size(), 1u);
  EXPECT_EQ(registry.list()[0].status, Maturity::kStable);
}

}  // namespace
}  // namespace atl::sandbox
