#include "backends/srt/process.hpp"

#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

namespace atl::backends::srt {
namespace {

std::string words_of(const std::string& text) {
  std::string path = testing::TempDir() + "/atoll_srt_log_" + std::to_string(::getpid());
  std::ofstream(path) << text;
  std::string words = last_words(path);
  ::unlink(path.c_str());
  return words;
}

TEST(SrtProcess, TheErrorIsWhatCounts) {
  EXPECT_EQ(words_of(""), "it said nothing");
  EXPECT_EQ(words_of("a\nb\n\n"), "b");
  EXPECT_EQ(words_of("starting\nError: no bwrap\n  at x\n"), "no bwrap");
  EXPECT_EQ(words_of("a\nTypeError: x is not a function\n    at y\n\nNode.js v22.23.3\n"),
            "TypeError: x is not a function");
  EXPECT_EQ(words_of("a\nsaw an Error: not here\nb\n"), "b");
}

TEST(SrtProcess, ANodeThatIsTooOldIsNamed) {
  const char* crash = "file:///x.js:1\nSyntaxError: Unexpected token 'with'\n\nNode.js v";
  EXPECT_EQ(words_of(crash + std::string("18.19.0\n")),
            "it needs Node 22.12 and was given 18.19.0; `atoll backends install srt` fetches one");
  EXPECT_EQ(words_of(crash + std::string("22.11.9\n")),
            "it needs Node 22.12 and was given 22.11.9; `atoll backends install srt` fetches one");
  EXPECT_EQ(words_of(crash + std::string("22.12.0\n")), "SyntaxError: Unexpected token 'with'");
}

}  // namespace
}  // namespace atl::backends::srt
