// An API key as the store knows it: never the secret, only a salted hash of it.
#pragma once

#include <array>
#include <optional>
#include <string>

#include <boost/describe/enum.hpp>

#include "model/risk_policy.hpp"
#include "model/session.hpp"

namespace atl::model {

// owner: the server, and every tenant. admin: its own tenant. approver: as user, and decides on
// approvals. read_only: nothing that changes anything.
BOOST_DEFINE_ENUM_CLASS(Role, kOwner, kAdmin, kApprover, kUser, kReadOnly)

inline constexpr std::array kRoles{Role::kOwner, Role::kAdmin, Role::kApprover, Role::kUser,
                                   Role::kReadOnly};

struct Key {
  std::string id;  // public: part of what the client sends, so that one row is looked up
  std::string tenant = "default";
  Role role = Role::kUser;
  std::string name;
  std::string secret_hash;  // hex of SHA-256 over the whole secret, which is random
  Time created_at{};
  std::optional<Time> revoked_at;
  RiskPolicy policy;  // of what it runs
};

}  // namespace atl::model
