// Who asks. Made when the key is checked; everything a caller may see is of its tenant. An owner
// may act for another tenant: then `tenant` is that one, and nothing else changes.
#pragma once

#include <string>

#include "model/key.hpp"

namespace atl::control {

struct Caller {
  std::string tenant = "default";
  std::string key_id;         // empty: nobody had to show one
  bool chose_tenant = false;  // an owner named the tenant in the request
  model::Role role = model::Role::kOwner;
  model::RiskPolicy policy;  // of the key
  std::string trace_id;      // W3C, passed on to logs
  std::string request_id;

  bool may_write() const { return role != model::Role::kReadOnly; }
  bool is_owner() const { return role == model::Role::kOwner; }
  // On executions that wait for a person.
  bool may_approve() const { return is_admin() || role == model::Role::kApprover; }
  bool is_admin() const { return is_owner() || role == model::Role::kAdmin; }
};

}  // namespace atl::control
