// What a tenant may use at most, and what the store remembers of its use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/describe/class.hpp>

#include "model/session.hpp"

namespace atl::model {

// Absent: as much as the server has.
struct TenantQuotas {
  std::optional<std::uint64_t> sessions;    // that live
  std::optional<std::uint64_t> executions;  // that run or wait
  std::optional<double> cpu;                // cores, of all live sessions
  std::optional<std::uint64_t> memory_mb;
  std::optional<std::uint64_t> disk_mb;
  std::optional<std::uint64_t> snapshots;
  std::optional<double> requests_per_second;
  std::optional<std::uint64_t> executions_per_day;  // of UTC

  friend bool operator==(const TenantQuotas&, const TenantQuotas&) = default;
};
BOOST_DESCRIBE_STRUCT(TenantQuotas, (),
                      (sessions, executions, cpu, memory_mb, disk_mb, snapshots,
                       requests_per_second, executions_per_day))

struct Tenant {
  std::string id;
  TenantQuotas quotas;
  std::int64_t day = 0;  // since 1970, of `day_executions`
  std::uint64_t day_executions = 0;
  Time updated_at{};
};

}  // namespace atl::model
