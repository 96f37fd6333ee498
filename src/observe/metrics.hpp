// Figures for Prometheus: counters, gauges and histograms with labels from closed sets.
//
//   Counter& made = metrics().counter("sessions_created_total", "Sessions that were made");
//   made.add();
//
// Any thread. Keep the reference: finding a series by its labels takes a lock. A series lives as
// long as its registry.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::observe {

using Labels = std::vector<std::pair<std::string, std::string>>;

class Counter {
 public:
  void add(std::uint64_t count = 1) { value_.fetch_add(count, std::memory_order_relaxed); }
  // For what is counted elsewhere and read when somebody asks; never goes back.
  void raise_to(std::uint64_t value);
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double change) { value_.fetch_add(change, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  friend class Metrics;
  std::vector<double> bounds_;  // rising; the last bucket, +Inf, is not among them
  std::vector<std::atomic<std::uint64_t>> buckets_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<double> sum_{0};
};

// From 0.1 ms to a minute: what a request, a create or an execution takes.
std::vector<double> seconds_buckets();

class Metrics {
 public:
  // The one with these labels, made when it is new. Throws std::logic_error for a name that is
  // taken by another kind.
  Counter& counter(std::string_view name, std::string_view help, Labels labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, Labels labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, std::vector<double> bounds,
                       Labels labels = {});
  // The text format, version 0.0.4.
  std::string text() const;

 private:
  enum class Kind { kCounter, kGauge, kHistogram };
  struct Series {
    std::unique_ptr<Counter> counter;
    std::unique_ptr<Gauge> gauge;
    std::unique_ptr<Histogram> histogram;
  };
  struct Family {
    Kind kind = Kind::kCounter;
    std::string help;
    std::map<Labels, Series> series;
  };
  Series& find(std::string_view name, std::string_view help, Kind kind, Labels labels);

  mutable std::mutex mutex_;
  std::map<std::string, Family, std::less<>> families_;
};

// The program's own.
Metrics& metrics();

}  // namespace atl::observe
