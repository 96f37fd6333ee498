// What control is asked for of a network.
#pragma once

#include <string>

#include "model/network.hpp"

namespace atl::control {

struct NetworkRequest {
  model::NetworkPolicy policy;
  std::string preset;  // whose rules come behind the policy's own; empty: none
  std::string at;      // JSON pointer of the policy in the request, for errors
};

}  // namespace atl::control
