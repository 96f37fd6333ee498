#include "backends/native/zygotes.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace atl::backends::native {
namespace {

namespace fs = std::filesystem;

class PackageStamp : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/packages-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directories(folder_ / "pack/deep");
    for (const char* file : {"one.py", "pack/__init__.py", "pack/part.py", "pack/deep/x.py"}) {
      write(file, "a");
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
  }
  std::uint64_t name(std::vector<std::string> modules) const {
    return package_stamp({.modules = std::move(modules)}, {folder_.string()});
  }

  fs::path folder_;
};

TEST_F(PackageStamp, IsTheSameAsLongAsNothingChanges) {
  EXPECT_EQ(name({"one", "pack"}), name({"one", "pack"}));
  EXPECT_NE(name({"one", "pack"}), name({"pack", "one"}));
  EXPECT_STREQ(zygote_key({.modules = {"one", "pack"}})->modules.data(), "one pack");
  EXPECT_STREQ(zygote_key({.modules = {"one"}, .for_contexts = false})->modules.data(),
               "--no-ipython one");
}

TEST_F(PackageStamp, ChangesWithTheFilesOfItsModules) {
  for (const auto& [module, file] :
       {std::pair("one", "one.py"), {"pack", "pack/__init__.py"}, {"pack.part", "pack/part.py"}}) {
    std::uint64_t before = name({module});
    std::uint64_t other = name({"os"});
    write(file, "longer than before");
    EXPECT_NE(name({module}), before) << file;
    EXPECT_EQ(name({"os"}), other);
  }
}

TEST_F(PackageStamp, ChangesWithThePackages) {
  fs::last_write_time(folder_, fs::file_time_type::clock::now() - std::chrono::hours(1));
  std::uint64_t before = name({"os"});
  write("new.py", "");
  EXPECT_NE(name({"os"}), before);
}

// Documented in docs/languages.md.
TEST_F(PackageStamp, LooksNoDeeper) {
  std::uint64_t before = name({"pack"});
  write("pack/deep/x.py", "longer than before");
  EXPECT_EQ(name({"pack"}), before);
}

}  // namespace
}  // namespace atl::backends::native
