// Bodies about tenants and their quotas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "bodies/common.hpp"
#include "model/tenant.hpp"

namespace atl::bodies {

struct PutTenantBody {
  std::optional<model::TenantQuotas> quotas;
};
BOOST_DESCRIBE_STRUCT(PutTenantBody, (), (quotas))

// What is used now, by the names of the quotas.
struct TenantUsageBody {
  std::uint64_t sessions = 0;
  std::uint64_t executions = 0;
  double cpu = 0;
  std::uint64_t memory_mb = 0;
  std::uint64_t disk_mb = 0;
  std::uint64_t executions_per_day = 0;
};
BOOST_DESCRIBE_STRUCT(TenantUsageBody, (),
                      (sessions, executions, cpu, memory_mb, disk_mb, executions_per_day))

struct TenantBody {
  std::string id;
  model::TenantQuotas quotas;
  TenantUsageBody usage;
};
BOOST_DESCRIBE_STRUCT(TenantBody, (), (id, quotas, usage))

}  // namespace atl::bodies
