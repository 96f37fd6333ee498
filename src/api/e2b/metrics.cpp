#include "api/e2b/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "api/common/text.hpp"

namespace atl::api::e2b {

namespace {

constexpr double kMegabyte = 1 << 20;

std::uint64_t bytes_of(double megabytes) {
  bool sane = std::isfinite(megabytes) && megabytes >= 0 && megabytes < 1e12;
  return sane ? static_cast<std::uint64_t>(megabytes * kMegabyte) : 0;
}

std::int64_t seconds_of(model::Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::uint64_t cores_of(const Figures& figures) {
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil(figures.cpu_count)));
}

}  // namespace

Task<Answer<Figures>> figures_of(Call call, model::Session session) {
  ATOLL_CO_TRY(control::SessionUsage usage,
               co_await call.control().sessions().usage(call.caller, session.id));
  model::TemplateResources own;
  if (auto origin = call.control().templates().find(session.template_id)) {
    own = (*origin)->spec.resources;
  }
  const model::Resources& asked = session.config.resources;
  Figures figures;
  figures.at = call.control().clock().now();
  figures.cpu_count = asked.cpu.value_or(own.cpu);
  figures.cpu_used_percent = std::max(0.0, usage.cpu_usage_percent);
  figures.memory_used = bytes_of(usage.memory_usage_mb);
  double limit = usage.memory_limit_mb;
  figures.memory_total =
      limit > 0 ? bytes_of(limit) : asked.memory.value_or(own.memory) * (1u << 20);
  figures.disk_used = bytes_of(usage.disk_usage_mb);
  figures.disk_total = asked.disk.value_or(own.disk) * (1u << 20);
  co_return figures;
}

object rest_view(const Figures& figures) {
  return {{"timestamp", rfc3339(figures.at)},
          {"timestampUnix", seconds_of(figures.at)},
          {"cpuCount", cores_of(figures)},
          {"cpuUsedPct", figures.cpu_used_percent},
          {"memUsed", figures.memory_used},
          {"memTotal", figures.memory_total},
          {"memCache", 0},
          {"diskUsed", figures.disk_used},
          {"diskTotal", figures.disk_total}};
}

object envd_view(const Figures& figures) {
  constexpr std::uint64_t kMiB = 1 << 20;
  return {{"ts", seconds_of(figures.at)},
          {"cpu_count", cores_of(figures)},
          {"cpu_used_pct", figures.cpu_used_percent},
          {"mem_total", figures.memory_total},
          {"mem_used", figures.memory_used},
          {"mem_cache", 0},
          {"mem_total_mib", figures.memory_total / kMiB},
          {"mem_used_mib", figures.memory_used / kMiB},
          {"disk_used", figures.disk_used},
          {"disk_total", figures.disk_total}};
}

}  // namespace atl::api::e2b
