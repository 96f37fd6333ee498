#include "observe/metrics.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace atl::observe {

namespace {

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (char letter : text) {
    if (letter == '\\') {
      out += "\\\\";
    } else if (letter == '\n') {
      out += "\\n";
    } else if (letter == '"' && quotes) {
      out += "\\\"";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string label_text(const Labels& labels, std::string_view le = {}) {
  std::string out;
  auto add = [&](std::string_view name, std::string_view value) {
    out += out.empty() ? "{" : ",";
    out.append(name).append("=\"").append(escaped(value, true)).append("\"");
  };
  for (const auto& [name, value] : labels) add(name, value);
  if (!le.empty()) add("le", le);
  return out.empty() ? out : out + "}";
}

void line(std::string& out, std::string_view name, std::string_view suffix,
          const std::string& labels, std::string_view value) {
  out.append(name).append(suffix).append(labels).append(" ").append(value).append("\n");
}

}  // namespace

void Counter::raise_to(std::uint64_t value) {
  std::uint64_t now = value_.load(std::memory_order_relaxed);
  while (now < value && !value_.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), buckets_(bounds_.size()) {}

void Histogram::observe(double value) {
  auto at = std::ranges::lower_bound(bounds_, value);
  if (at != bounds_.end()) {
    buckets_[static_cast<std::size_t>(at - bounds_.begin())].fetch_add(1,
                                                                       std::memory_order_relaxed);
  }
  sum_.fetch_add(value, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
}

std::vector<double> seconds_buckets() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
          0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30,    60};
}

Metrics::Series& Metrics::find(std::string_view name, std::string_view help, Kind kind,
                               Labels labels) {
  auto found = families_.find(name);
  if (found == families_.end()) {
    found = families_.emplace(std::string(name), Family{kind, std::string(help), {}}).first;
  }
  if (found->second.kind != kind) {
    throw std::logic_error("metric of another kind: " + std::string(name));
  }
  return found->second.series[std::move(labels)];
}

Counter& Metrics::counter(std::string_view name, std::string_view help, Labels labels) {
  std::scoped_lock lock(mutex_);
  Series& series = find(name, help, Kind::kCounter, std::move(labels));
  if (!series.counter) series.counter = std::make_unique<Counter>();
  return *series.counter;
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, Labels labels) {
  std::scoped_lock lock(mutex_);
  Series& series = find(name, help, Kind::kGauge, std::move(labels));
  if (!series.gauge) series.gauge = std::make_unique<Gauge>();
  return *series.gauge;
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help,
                              std::vector<double> bounds, Labels labels) {
  std::scoped_lock lock(mutex_);
  Series& series = find(name, help, Kind::kHistogram, std::move(labels));
  if (!series.histogram) series.histogram = std::make_unique<Histogram>(std::move(bounds));
  return *series.histogram;
}

std::string Metrics::text() const {
  static constexpr std::string_view kKinds[] = {"counter", "gauge", "histogram"};
  std::scoped_lock lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) {
    out += "# HELP " + name + " " + escaped(family.help, false) + "\n";
    out.append("# TYPE ").append(name).append(" ");
    out.append(kKinds[static_cast<std::size_t>(family.kind)]).append("\n");
    for (const auto& [labels, series] : family.series) {
      if (series.counter) {
        line(out, name, "", label_text(labels), std::to_string(series.counter->value()));
      } else if (series.gauge) {
        line(out, name, "", label_text(labels), number(series.gauge->value()));
      } else {
        const Histogram& histogram = *series.histogram;
        std::uint64_t total = histogram.count();  // first: buckets may only be ahead of it
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < histogram.bounds_.size(); ++i) {
          sum = std::min(total, sum + histogram.buckets_[i].load(std::memory_order_relaxed));
          line(out, name, "_bucket", label_text(labels, number(histogram.bounds_[i])),
               std::to_string(sum));
        }
        line(out, name, "_bucket", label_text(labels, "+Inf"), std::to_string(total));
        line(out, name, "_sum", label_text(labels),
             number(histogram.sum_.load(std::memory_order_relaxed)));
        line(out, name, "_count", label_text(labels), std::to_string(total));
      }
    }
  }
  return out;
}

Metrics& metrics() {
  static Metrics all;
  return all;
}

}  // namespace atl::observe
