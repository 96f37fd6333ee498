#include "control/session_environment.hpp"

#include "egress/inside.hpp"

namespace atl::control {

std::map<std::string, std::string> environment_of(const model::Session& row) {
  std::map<std::string, std::string> all = row.config.environment;
  if (row.config.network) {  // what the session was given for itself stays
    all.merge(egress::environment_inside(row.sandbox_id.str(), *row.config.network));
  }
  return all;
}

}  // namespace atl::control
