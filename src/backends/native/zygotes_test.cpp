#include "backends/native/zygotes.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace atl::backends::native {
namespace {

namespace fs = std::filesystem;

class ZygoteName : public testing::Test {
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
  std::string name(std::vector<std::string> modules) const {
    return zygote_name({.modules = std::move(modules)}, {folder_.string()});
  }

  fs::path folder_;
};

TEST_F(ZygoteName, IsTheSameAsLongAsNothingChanges) {
  EXPECT_EQ(name({"one", "pack"}), name({"one", "pack"}));
  EXPECT_NE(name({"one", "pack"}), name({"pack", "one"}));
  EXPECT_NE(name({"one"}), zygote_name({.modules = {"one"}, .for_contexts = false}, {folder_}));
}

TEST_F(ZygoteName, ChangesWithTheFilesOfItsModules) {
  for (const auto& [module, file] :
       {std::pair("one", "one.py"), {"pack", "pack/__init__.py"}, {"pack.part", "pack/part.py"}}) {
    std::string before = name({module});
    std::string other = name({"os"});
    write(file, "longer than before");
    EXPECT_NE(name({module}), before) << file;
    EXPECT_EQ(name({"os"}), other);
  }
}

TEST_F(ZygoteName, ChangesWithThePackages) {
  fs::last_write_time(folder_, fs::file_time_type::clock::now() - std::chrono::hours(1));
  std::string before = name({"os"});
  write("new.py", "");
  EXPECT_NE(name({"os"}), before);
}

// Documented in docs/languages.md.
TEST_F(ZygoteName, LooksNoDeeper) {
  std::string before = name({"pack"});
  write("pack/deep/x.py", "longer than before");
  EXPECT_EQ(name({"pack"}), before);
}

}  // namespace
}  // namespace atl::backends::native
