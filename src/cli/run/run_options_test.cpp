#include "cli/run/run_options.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

RunOptions parsed(std::vector<std::string_view> arguments) {
  RunOptions options;
  Result<void> result = parse_run_options(arguments, options);
  EXPECT_TRUE(result) << result.error().message();
  return options;
}

TEST(RunOptions, TheLineOfTheReadme) {
  RunOptions options =
      parsed({"--memory",  "256m",       "--cpus", "0.5", "--pids", "64",      "--disk",
              "100m",      "--timeout",  "10s",    "-e",  "K=V",    "--mount", "./data:/data:ro",
              "--workdir", "/workspace", "--",     "ls",  "-la",    "/"});
  EXPECT_EQ(options.memory, 256ull << 20);
  EXPECT_EQ(options.cpu_milli, 500u);
  EXPECT_EQ(options.pids, 64u);
  EXPECT_EQ(options.disk, 100ull << 20);
  EXPECT_EQ(options.timeout, std::chrono::seconds(10));
  EXPECT_EQ(options.env, (std::vector<std::string>{"K=V"}));
  EXPECT_EQ(options.mounts, (std::vector<std::string>{"./data:/data:ro"}));
  EXPECT_EQ(options.workdir, "/workspace");
  EXPECT_EQ(options.arguments, (std::vector<std::string>{"ls", "-la", "/"}));
  EXPECT_TRUE(options.separated);
}

TEST(RunOptions, TerminalAndOutput) {
  RunOptions options = parsed({"-it", "-o", "json", "-qv", "--color=never", "bash"});
  EXPECT_TRUE(options.interactive && options.terminal && options.quiet && options.verbose);
  EXPECT_EQ(options.output, OutputFormat::kJson);
  EXPECT_EQ(options.color, ColorMode::kNever);
  EXPECT_FALSE(options.separated);
}

TEST(RunOptions, CodeMayBeEmpty) { EXPECT_EQ(parsed({"-c", ""}).code, ""); }

TEST(RunOptions, NamesTheOptionInErrors) {
  RunOptions options;
  std::vector<std::string_view> arguments{"-o", "json", "--memory", "lots"};
  Result<void> result = parse_run_options(arguments, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kInvalidArgument);
  EXPECT_TRUE(result.error().message().starts_with("--memory lots: ")) << result.error().message();
  EXPECT_EQ(options.output, OutputFormat::kJson);  // so that the caller knows how to report it
}

}  // namespace
}  // namespace atl::cli
