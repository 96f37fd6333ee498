// The scripts, run by the shells of this host.
#include "backends/opensandbox/script.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <sstream>

#include <gtest/gtest.h>

#include "backends/opensandbox/marks.hpp"
#include "backends/opensandbox/shell_errors.hpp"

namespace atl::backends::opensandbox {
namespace {

struct Ran {
  std::string out;
  int code = -1;
};

Ran run(const std::string& shell, const std::string& script) {
  std::string command = shell + " -c " + quote(script) + " 2>&1";
  Ran ran;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t size; (size = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    ran.out.append(buffer.data(), size);
  }
  int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

// As the event stream would bring it.
std::string output_of(const std::string& out, Marks& marks) {
  std::string all;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    all += marks.take_stdout(line.empty() ? "\n" : line);
  }
  return all;
}

class OpenSandboxScript : public testing::TestWithParam<const char*> {};

TEST_P(OpenSandboxScript, TellsOutputAndEnd) {
  Marks marks("mark");
  guest::ExecArgs args{.cwd = "/", .argv = {"printf", "%s|", "a b", "$HOME", "", "it's *"}};
  Ran ran = run(GetParam(), program_script(args, "mark", "/dev/null"));
  EXPECT_EQ(output_of(ran.out, marks), "a b|$HOME||it's *|");
  EXPECT_EQ(marks.start(), Marks::Start::kStarted);
  EXPECT_GT(marks.pid(), 1);
  EXPECT_EQ(marks.code(), 0);
}

TEST_P(OpenSandboxScript, KeepsTheExitCode) {
  for (const char* text : {"exit 7", "kill -TERM $$", "kill -KILL $$"}) {
    Marks marks("mark");
    guest::ExecArgs args{.cwd = "/tmp", .argv = {"/bin/sh", "-c", text}};
    Ran ran = run(GetParam(), program_script(args, "mark", "/dev/null"));
    EXPECT_EQ(output_of(ran.out, marks), "");
    int expected = text[0] == 'e' ? 7 : text[6] == 'T' ? 143 : 137;
    EXPECT_EQ(marks.code(), expected) << text;
    EXPECT_EQ(ran.code, expected) << text;
  }
}

TEST_P(OpenSandboxScript, SaysWhyNothingStarts) {
  auto start = [](guest::ExecArgs args) {
    Marks marks("mark");
    output_of(run(GetParam(), program_script(args, "mark", "/dev/null")).out, marks);
    return marks.start();
  };
  EXPECT_EQ(start({.cwd = "/no/such", .argv = {"true"}}), Marks::Start::kNoFolder);
  EXPECT_EQ(start({.cwd = "/", .argv = {"no-such-program"}}), Marks::Start::kNotFound);
  EXPECT_EQ(start({.cwd = "/", .argv = {"/no/such"}}), Marks::Start::kNotFound);
  EXPECT_EQ(start({.cwd = "/", .argv = {"/etc/passwd"}}), Marks::Start::kNotExecutable);
  EXPECT_EQ(start({.cwd = "/", .argv = {"/etc"}}), Marks::Start::kNotExecutable);
}

INSTANTIATE_TEST_SUITE_P(Shells, OpenSandboxScript, testing::Values("sh", "bash"));

TEST(OpenSandboxQuote, AnyByteIsOneWord) {
  for (const std::string& word : {std::string("plain"), std::string("it's"), std::string("a\nb"),
                                  std::string("$(x) `y` \\ \""), std::string("\xff\xfe'")}) {
    EXPECT_EQ(run("bash", "printf %s " + quote(word)).out, word);
  }
}

TEST(OpenSandboxShellErrors, ToolsWordsBecomeCodes) {
  EXPECT_EQ(error_from_words("mkdir: cannot create directory 'd': File exists\n").code(),
            Code::kAlreadyExists);
  EXPECT_EQ(error_from_words("cat: x: No such file or directory").code(), Code::kNotFound);
  EXPECT_EQ(error_from_words("rmdir: failed to remove 'x': Directory not empty").code(),
            Code::kAlreadyExists);
  EXPECT_EQ(error_from_words("cat: l: Too many levels of symbolic links").code(),
            Code::kInvalidArgument);
  EXPECT_EQ(error_from_words("").code(), Code::kIo);
}

}  // namespace
}  // namespace atl::backends::opensandbox
