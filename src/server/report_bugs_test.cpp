#include "server/report_bugs.hpp"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "async/task_group.hpp"
#include "observe/log.hpp"

namespace atl::server {
namespace {

async::Task<void> broken() {
  throw std::out_of_range("no such element");
  co_return;
}

async::Task<void> spawn_broken(async::Executor executor) {
  async::TaskGroup group(executor);
  group.spawn(broken());
  co_await group.wait_idle();
}

TEST(ReportBugs, ABackgroundTaskThatThrowsIsLoggedAndCounted) {
  observe::Metrics metrics;
  std::string lines;
  log::set_sink([&](std::string_view line) { lines += line; });
  report_bugs(metrics);
  EXPECT_NE(metrics.text().find("background_task_failures_total 0"), std::string::npos);
  async::run_to_end<void>(&spawn_broken);
  async::on_bug(nullptr);
  log::set_sink(nullptr);
  EXPECT_NE(metrics.text().find("background_task_failures_total 1"), std::string::npos);
  EXPECT_NE(lines.find("background_task_failed"), std::string::npos) << lines;
  EXPECT_NE(lines.find("std::out_of_range"), std::string::npos) << lines;
  EXPECT_NE(lines.find("no such element"), std::string::npos) << lines;
}

}  // namespace
}  // namespace atl::server
