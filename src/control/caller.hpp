// Who asks. Made by whoever checked the key; everything a caller may see is of its tenant.
#pragma once

#include <string>

#include "model/key.hpp"

namespace atl::control {

struct Caller {
  std::string tenant = "default";
  std::string key_id;  // empty: nobody had to show one
  model::Role role = model::Role::kAdmin;
  std::string trace_id;  // W3C, passed on to logs
  std::string request_id;

  bool may_write() const { return role != model::Role::kReadOnly; }
  bool is_admin() const { return role == model::Role::kAdmin; }
};

}  // namespace atl::control
