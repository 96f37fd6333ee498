#include "cli/run/report.hpp"

#include <gtest/gtest.h>

namespace atl::cli {
namespace {

TEST(Report, HasEveryField) {
  RunReport report;
  report.exit_code = 3;
  report.status = {.exit_code = 3,
                   .cpu_user = std::chrono::microseconds(1500),
                   .cpu_system = std::chrono::microseconds(500),
                   .wall = std::chrono::microseconds(12345),
                   .max_rss_bytes = 4096};
  report.isolation = {.layers = {"seccomp"}, .missing = {"pids_limit"}};
  report.stdout_bytes = "hi\n";
  EXPECT_EQ(
      report_json(report, false),
      "{\"exit_code\":3,\"stdout\":\"hi\\n\",\"stderr\":\"\",\"duration_ms\":12.345,\"cpu_ms\":2,"
      "\"max_rss\":4096,\"oom\":false,\"timed_out\":false,\"truncated\":false,"
      "\"isolation\":{\"layers\":[\"seccomp\"],\"missing\":[\"pids_limit\"]},\"error\":null}\n");
}

TEST(Report, KeepsExactBytes) {
  RunReport report;
  report.stdout_bytes = "a\xff";
  std::string json = report_json(report, false);
  EXPECT_NE(json.find("\"stdout\":\"a\xef\xbf\xbd\",\"stdout_b64\":\"Yf8=\""), std::string::npos)
      << json;
  EXPECT_EQ(json.find("stderr_b64"), std::string::npos);
}

TEST(Report, NamesTheError) {
  RunReport report;
  report.error = Error(Code::kTooLarge, "too \"big\"");
  EXPECT_NE(report_json(report, false)
                .find("\"error\":{\"code\":\"too_large\",\"message\":\"too \\\"big\\\"\"}"),
            std::string::npos);
}

}  // namespace
}  // namespace atl::cli
