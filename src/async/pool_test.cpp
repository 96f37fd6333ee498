#include "async/pool.hpp"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "async/run.hpp"

namespace atl::async {
namespace {

Task<void> runs_elsewhere() {
  Pool pool(2);
  auto here = std::this_thread::get_id();
  auto there = co_await on_pool(pool, [] { return std::this_thread::get_id(); });
  EXPECT_NE(here, there);
  EXPECT_EQ(here, std::this_thread::get_id()) << "went on in the pool";
}

TEST(OnPool, RunsElsewhereAndComesBack) {
  run_to_end<void>([](Executor) { return runs_elsewhere(); });
}

Task<void> throws() {
  Pool pool(1);
  co_await on_pool(pool, [] { throw std::runtime_error("from the pool"); });
}

TEST(OnPool, PassesExceptionsOn) {
  EXPECT_THROW(run_to_end<void>([](Executor) { return throws(); }), std::runtime_error);
}

}  // namespace
}  // namespace atl::async
