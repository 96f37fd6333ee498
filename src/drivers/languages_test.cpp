#include "drivers/languages.hpp"

#include <set>

#include <gtest/gtest.h>

namespace atl::drivers {
namespace {

using Argv = std::vector<std::string>;

TEST(Languages, NamesAndAliases) {
  for (const char* name : {"python", "py"}) EXPECT_EQ((*find_language(name))->name, "python");
  for (const char* name : {"javascript", "js", "node"}) {
    EXPECT_EQ((*find_language(name))->name, "javascript");
  }
  for (const char* name : {"bash", "sh", "shell"}) EXPECT_EQ((*find_language(name))->name, "bash");
  for (const char* name : {"cpp", "c++", "cxx"}) EXPECT_EQ((*find_language(name))->name, "cpp");
  for (const char* name : {"typescript", "ts"}) {
    EXPECT_EQ((*find_language(name))->name, "typescript");
  }
  for (const char* name : {"go", "golang"}) EXPECT_EQ((*find_language(name))->name, "go");
  for (const char* name : {"rust", "rs"}) EXPECT_EQ((*find_language(name))->name, "rust");
  for (const char* name : {"c", "java"}) EXPECT_EQ((*find_language(name))->name, name);
}

TEST(Languages, UnknownOnesListTheKnown) {
  Result<const Language*> result = find_language("cobol");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kUnsupportedLanguage);
  EXPECT_NE(result.error().message().find(
                "python (py), javascript (js, node), bash (shell, sh), typescript (ts), c, "),
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
  EXPECT_EQ(language_of_file("b.ts")->name, "typescript");
  EXPECT_EQ(language_of_file("b.c")->name, "c");
  EXPECT_EQ(language_of_file("b.cc")->name, "cpp");
  EXPECT_EQ(language_of_file("Main.java")->name, "java");
  for (const char* other : {"ls", "", ".py", "a.py/", "a.pyc", "dir.py/tool", "a.h"}) {
    EXPECT_EQ(language_of_file(other), nullptr) << other;
  }
}

TEST(Languages, NothingIsSaidTwice) {
  std::set<std::string> seen;
  for (const Language& language : languages()) {
    for (std::string_view list : {language.name, language.aliases, language.suffixes}) {
      while (!list.empty()) {
        std::string word(list.substr(0, list.find(' ')));
        EXPECT_TRUE(seen.insert(word).second) << word;
        list.remove_prefix(std::min(list.size(), word.size() + 1));
      }
    }
    EXPECT_EQ(language_of_file(language.file_name), &language);
  }
}

TEST(Languages, InterpretersAreStartedDirectly) {
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

TEST(Languages, CompilersGoThroughAShell) {
  for (const Language& language : languages()) {
    if (runs_inline(language)) continue;
    Argv argv = file_command(language, "/w/odd name", Argv{"a", "-b"});
    ASSERT_EQ(argv.size(), 7U) << language.name;
    EXPECT_EQ((Argv{argv[0], argv[1], argv[3], argv[4], argv[5], argv[6]}),
              (Argv{"/bin/sh", "-c", "sh", "/w/odd name", "a", "-b"}));
    for (const char* name : {"{program}", "{file}", "{out}"}) {
      EXPECT_EQ(argv[2].find(name), std::string::npos) << argv[2];
    }
    EXPECT_NE(argv[2].find("exec "), std::string::npos) << argv[2];
  }
}

TEST(Languages, WhichHaveContexts) {
  std::string names;
  for (const Language& language : languages()) {
    if (language.has_context) names += std::string(language.name) + " ";
  }
  EXPECT_EQ(names, "python javascript bash typescript ");
}

}  // namespace
}  // namespace atl::drivers
