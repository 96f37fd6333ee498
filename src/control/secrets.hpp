// Secrets of tenants: values that requests to certain hosts carry and that never enter a sandbox.
// Values are written, and read only to carry out a network policy. On the I/O thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/sessions.hpp"
#include "model/network.hpp"
#include "model/secret.hpp"
#include "store/store.hpp"

namespace atl::control {

// 1 to 100 of a-z, A-Z, 0-9, - _ and .; begins with a letter, a digit or _.
bool is_secret_name(std::string_view name);
// Which secrets a policy names.
std::set<std::string> secrets_of(const model::NetworkPolicy& policy);

class Secrets {
 public:
  static constexpr std::size_t kMaxValue = std::size_t{64} * 1024;
  static constexpr std::size_t kMaxOfTenant = 1000;

  Secrets(store::Store& store, const Clock& clock, Sessions& sessions)
      : store_(store), clock_(clock), sessions_(sessions) {}

  // Before anything is asked: which each tenant has.
  async::Task<Result<void>> load();
  struct Put {
    model::SecretInfo info;
    bool made = false;  // it is new
  };
  // Makes it, or replaces its value. kInvalidValue, kQuotaExceeded.
  async::Task<Result<Put>> put(Caller caller, std::string name, std::string value);
  async::Task<Result<std::vector<model::SecretInfo>>> list(Caller caller);
  async::Task<Result<model::SecretInfo>> get(Caller caller, std::string name);
  // kConflict while a live session uses it: after a restart of the server it would need the value.
  async::Task<Result<void>> remove(Caller caller, std::string name);

  // kInvalidValue with the name of one that the tenant does not have. `at`: where the policy is in
  // the request.
  async::Task<Result<void>> check_used(std::string tenant, model::NetworkPolicy policy,
                                       std::string at);

  // By name, of those that the policy names, to carry it out; kNotFound when one is
  // missing.
  async::Task<Result<std::map<std::string, std::string>>> values_of(std::string tenant,
                                                                    model::NetworkPolicy policy);

 private:
  std::size_t users_of(const std::string& tenant, const std::string& name) const;

  store::Store& store_;
  const Clock& clock_;
  Sessions& sessions_;
  // By tenant, with those that are being written. Two who make the last one at once do not both get
  // it.
  std::map<std::string, std::set<std::string>> names_;
};

}  // namespace atl::control
