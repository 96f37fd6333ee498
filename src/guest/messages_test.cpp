#include "guest/messages.hpp"

#include <string>

#include <gtest/gtest.h>

namespace atl::guest {
namespace {

// Encoding is a function of all fields, so equal encodings mean equal values.
template <typename T>
void round_trip(const T& value) {
  std::string bytes = encoded(value);
  auto back = decoded<T>(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(encoded(*back), bytes);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(decoded<T>(std::string_view(bytes).substr(0, cut))) << cut;
  }
  EXPECT_FALSE(decoded<T>(bytes + "x"));
}

TEST(Messages, RoundTripAndRefuseOtherLengths) {
  round_trip(ExecArgs{.flags = ExecArgs::kTty | ExecArgs::kStdinOpen,
                      .timeout_ms = 5000,
                      .rows = 40,
                      .cols = 100,
                      .cwd = "/tmp",
                      .argv = {"sh", "-c", "exit 3"},
                      .env = {"PATH=/bin", "EMPTY="}});
  round_trip(ExecStarted{.exec_id = 1u << 20, .pid = 17});
  round_trip(ExitInfo{.exec_id = 9,
                      .exit_code = 137,
                      .signal = 9,
                      .flags = ExitInfo::kTimedOut,
                      .user_us = 1,
                      .system_us = 2,
                      .max_rss_bytes = 3,
                      .wall_us = 4});
  round_trip(ExecutionInfo{.exec_id = 1, .pid = 2, .running = 1, .command = "sleep 1"});
  round_trip(ProcessInfo{
      .pid = 7, .parent = 1, .state = 'S', .rss_bytes = 4096, .cpu_ms = 12, .command = "x y"});
  round_trip(FileInfo{.kind = FileInfo::kSymlink,
                      .mode = 0777,
                      .uid = 1000,
                      .gid = 1000,
                      .size = 1ull << 40,
                      .mtime_ns = -5,
                      .path = "a/b",
                      .target = std::string("with\0nul", 8)});
  round_trip(PutArgs{.path = "a", .mode = 0600, .make_parents = 1});
  round_trip(GetArgs{.path = "a", .offset = 5, .length = 6});
  round_trip(SearchArgs{.root = "/", .name_glob = "*.py", .contains = "x", .max_results = 3});
  round_trip(WatchEvent{.kind = WatchEvent::kMoved, .path = "z"});
}

TEST(Messages, FieldsKeepTheirPlaces) {
  auto back = decoded<ExecArgs>(encoded(ExecArgs{.rows = 1, .cols = 2, .cwd = "c", .argv = {"a"}}));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->rows, 1);
  EXPECT_EQ(back->cols, 2);
  EXPECT_EQ(back->cwd, "c");
  EXPECT_EQ(back->argv, std::vector<std::string>{"a"});
  EXPECT_TRUE(back->env.empty());
}

TEST(Messages, AbsurdCountsAllocateNothing) {
  Writer out;
  out.number(std::uint32_t{0})
      .number(std::uint32_t{0})
      .number(std::uint16_t{1})
      .number(std::uint16_t{1});
  out.string("").number(UINT32_MAX);
  EXPECT_FALSE(decoded<ExecArgs>(out.bytes()));
}

}  // namespace
}  // namespace atl::guest
