#include "sandbox/instance.hpp"

#include <stdlib.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace atl::sandbox {
namespace {

TEST(Instance, GoesWhereTheFolderGoes) {
  std::string top = (std::filesystem::temp_directory_path() / "atoll-instance-XXXXXX").string();
  ASSERT_NE(::mkdtemp(top.data()), nullptr);
  EXPECT_EQ(instance_of(top + "/old/docker", "a").value_or(""), "a");
  EXPECT_EQ(instance_of(top + "/old/docker", "b").value_or(""), "a");
  std::filesystem::rename(top + "/old", top + "/new");
  EXPECT_EQ(instance_of(top + "/new/docker", "c").value_or(""), "a");
  EXPECT_EQ(instance_of("", "d").value_or(""), "d");
  std::filesystem::remove_all(top);
}

}  // namespace
}  // namespace atl::sandbox
