#include "cli/languages.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using Argv = std::vector<std::string>;

TEST(Languages, NamesAndAliases) {
  for (const char* name : {"python", "py"}) EXPECT_EQ((*find_language(name))->name, "python");
  for (const char* name : {"javascript", "js", "node"}) {
    EXPECT_EQ((*find_language(name))->name, "javascript");
  }
  for (const char* name : {"bash", "sh", "shell"}) EXPECT_EQ((*find_language(name))->name, "bash");
}

TEST(Languages, UnknownOnesListTheKnown) {
  Result<const Language*> result = find_language("cobol");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kUnsupportedLanguage);
  EXPECT_NE(result.error().message().find("python (py), javascript (js, node), bash (shell, sh)"),
            std::string::npos);
  EXPECT_FALSE(find_language(""));
  EXPECT_FALSE(find_language("py js"));
}

TEST(Languages, BySuffix) {
  EXPECT_EQ(language_of_file("a/b.py")->name, "python");
  EXPECT_EQ(language_of_file("b.mjs")->name, "javascript");
  EXPECT_EQ(language_of_file("b.js")->name, "javascript");
  EXPECT_EQ(language_of_file("/x.y/b.bash")->name, "bash");
  EXPECT_EQ(language_of_file("b.sh")->name, "bash");
  for (const char* other : {"ls", "", ".py", "a.py/", "a.pyc", "dir.py/tool"}) {
    EXPECT_EQ(language_of_file(other), nullptr) << other;
  }
}

TEST(Languages, Commands) {
  const Argv args{"a", "-b"};
  EXPECT_EQ(inline_command(**find_language("py"), "x", args),
            (Argv{"python3", "-c", "x", "a", "-b"}));
  EXPECT_EQ(inline_command(**find_language("sh"), "x", args),
            (Argv{"bash", "-c", "x", "bash", "a", "-b"}));
  EXPECT_EQ(inline_command(**find_language("js"), "x", args),
            (Argv{"node", "-e", "x", "--", "a", "-b"}));
  EXPECT_EQ(inline_command(**find_language("js"), "x", Argv{}), (Argv{"node", "-e", "x"}));
  EXPECT_EQ(file_command(**find_language("py"), "/f", args), (Argv{"python3", "/f", "a", "-b"}));
}

}  // namespace
}  // namespace atl::cli
