#include "observe/metrics.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace atl::observe {
namespace {

TEST(Metrics, CounterAndGaugeAsText) {
  Metrics all;
  all.counter("made_total", "What was made").add(2);
  all.counter("made_total", "What was made").add();
  all.gauge("size", "How much\nis there", {{"pool", "a\"b\\c"}}).set(1.5);
  EXPECT_EQ(all.text(),
            "# HELP made_total What was made\n# TYPE made_total counter\nmade_total 3\n"
            "# HELP size How much\\nis there\n# TYPE size gauge\nsize{pool=\"a\\\"b\\\\c\"} 1.5\n");
}

TEST(Metrics, HistogramCountsUpwards) {
  Metrics all;
  Histogram& time = all.histogram("t_seconds", "Time", {0.1, 1}, {{"op", "x"}});
  for (double value : {0.1, 0.5, 7.0}) time.observe(value);
  EXPECT_EQ(all.text(),
            "# HELP t_seconds Time\n# TYPE t_seconds histogram\n"
            "t_seconds_bucket{op=\"x\",le=\"0.1\"} 1\nt_seconds_bucket{op=\"x\",le=\"1\"} 2\n"
            "t_seconds_bucket{op=\"x\",le=\"+Inf\"} 3\nt_seconds_sum{op=\"x\"} 7.6\n"
            "t_seconds_count{op=\"x\"} 3\n");
}

TEST(Metrics, SameLabelsAreTheSameSeries) {
  Metrics all;
  EXPECT_EQ(&all.gauge("g", "", {{"a", "1"}}), &all.gauge("g", "", {{"a", "1"}}));
  EXPECT_NE(&all.gauge("g", "", {{"a", "1"}}), &all.gauge("g", "", {{"a", "2"}}));
  EXPECT_THROW(all.counter("g", ""), std::logic_error);
}

TEST(Metrics, CounterNeverGoesBack) {
  Counter counter;
  counter.raise_to(5);
  counter.raise_to(3);
  EXPECT_EQ(counter.value(), 5u);
}

}  // namespace
}  // namespace atl::observe
