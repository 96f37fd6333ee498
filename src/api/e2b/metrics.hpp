// The figures of a sandbox, for the REST API and for envd.
#pragma once

#include <cstdint>

#include "api/e2b/call.hpp"

namespace atl::api::e2b {

struct Figures {
  model::Time at{};
  double cpu_count = 1;
  double cpu_used_percent = 0;  // of one core
  std::uint64_t memory_used = 0;
  std::uint64_t memory_total = 0;
  std::uint64_t disk_used = 0;
  std::uint64_t disk_total = 0;
};

Task<Answer<Figures>> figures_of(Call call, model::Session session);
object rest_view(const Figures& figures);
object envd_view(const Figures& figures);

}  // namespace atl::api::e2b
