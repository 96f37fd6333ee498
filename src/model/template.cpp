#include "model/template.hpp"

namespace atl::model {

bool keeps_limits(const Template& origin, const SessionConfig& config) {
  const TemplateResources& most = origin.spec.resources;
  const Resources& asked = config.resources;
  return asked.cpu.value_or(most.cpu) == most.cpu &&
         asked.memory.value_or(most.memory) == most.memory &&
         asked.disk.value_or(most.disk) == most.disk && asked.pids.value_or(most.pids) == most.pids;
}

}  // namespace atl::model
