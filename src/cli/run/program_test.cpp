#include "cli/run/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using Argv = std::vector<std::string>;

Result<Program> program(RunOptions options) { return make_program(options, "/workspace"); }

TEST(ProgramOptions, Commands) {
  Result<Program> plain = program({.arguments = {"ls", "-l"}});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->argv, (Argv{"ls", "-l"}));
  EXPECT_FALSE(plain->is_code);
  // After -- a known suffix says nothing.
  EXPECT_EQ(program({.arguments = {"tool.py"}, .separated = true})->argv, (Argv{"tool.py"}));
}

TEST(ProgramOptions, FilesThatNoLanguageClaimsAreCommandsAllTheSame) {
  std::string path = ::testing::TempDir() + "/atoll_script_without_a_language.txt";
  std::ofstream(path) << "print(1)\n";
  Result<Program> script = program({.arguments = {path}});
  ASSERT_TRUE(script);
  EXPECT_EQ(script->argv, (Argv{path}));
  EXPECT_TRUE(script->may_be_script);
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  EXPECT_FALSE(program({.arguments = {path}})->may_be_script);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_FALSE(program({.arguments = {path}})->may_be_script);
  EXPECT_FALSE(program({.arguments = {::testing::TempDir()}})->may_be_script);
}

TEST(ProgramOptions, CodeIsPythonUnlessSaid) {
  Result<Program> code = program({.code = "print(1)", .arguments = {"x"}});
  ASSERT_TRUE(code);
  EXPECT_TRUE(code->is_code);
  EXPECT_EQ(code->argv, (Argv{"python3", "-c", "print(1)", "x"}));
  EXPECT_EQ(program({.language = "js", .code = "1"})->argv, (Argv{"node", "-e", "1"}));
}

TEST(ProgramOptions, LargeCodeBecomesAFile) {
  std::string large(200'000, '#');
  Result<Program> code = program({.code = large});
  ASSERT_TRUE(code);
  EXPECT_EQ(code->argv, (Argv{"python3", "/workspace/main.py"}));
  ASSERT_TRUE(code->file);
  EXPECT_EQ(code->file->path, "/workspace/main.py");
  EXPECT_EQ(code->file->content, large);
}

TEST(ProgramOptions, CodeWithNulBecomesAFile) {
  EXPECT_TRUE(program({.code = std::string("a\0b", 3)})->file);
}

TEST(ProgramOptions, CodeForACompilerBecomesAFile) {
  Result<Program> code = program({.language = "c", .code = "int main() {}", .arguments = {"x"}});
  ASSERT_TRUE(code);
  ASSERT_TRUE(code->file);
  EXPECT_EQ(code->file->path, "/workspace/main.c");
  EXPECT_EQ(code->argv.front(), "/bin/sh");
  EXPECT_EQ(code->argv[4], "/workspace/main.c");
  EXPECT_EQ(code->argv.back(), "x");
}

TEST(ProgramOptions, Scripts) {
  std::string path = ::testing::TempDir() + "/atoll_script.py";
  std::ofstream(path) << "print(2)\n";
  Result<Program> script = program({.arguments = {path, "-x"}});
  ASSERT_TRUE(script);
  EXPECT_TRUE(script->is_code);
  EXPECT_EQ(script->argv, (Argv{"python3", "/workspace/atoll_script.py", "-x"}));
  EXPECT_EQ(script->file->content, "print(2)\n");
  // A language makes any file a script.
  EXPECT_EQ(program({.language = "bash", .arguments = {path}})->argv,
            (Argv{"bash", "/workspace/atoll_script.py"}));
}

TEST(ProgramOptions, Refuses) {
  EXPECT_EQ(program({}).error().code(), Code::kInvalidArgument);
  EXPECT_EQ(program({.arguments = {""}}).error().code(), Code::kInvalidArgument);
  EXPECT_EQ(program({.language = "cobol", .code = "x"}).error().code(), Code::kUnsupportedLanguage);
  EXPECT_EQ(program({.arguments = {"/nonexistent/a.py"}}).error().code(), Code::kNotFound);
  EXPECT_EQ(program({.language = "py", .arguments = {"/usr"}}).error().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(program({.interactive = true, .arguments = {"-"}}).error().code(),
            Code::kInvalidArgument);
}

TEST(ProgramOptions, RefusesTooMuchCode) {
  std::string path = ::testing::TempDir() + "/atoll_large.py";
  std::ofstream(path) << "#";
  ASSERT_EQ(::truncate(path.c_str(), 100ll << 20), 0);
  Result<Program> script = program({.arguments = {path}});
  ::unlink(path.c_str());
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().code(), Code::kTooLarge);
}

}  // namespace
}  // namespace atl::cli
