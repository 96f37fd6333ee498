// The templates, and what a session gets from one. All of them are kept in memory: every create
// needs one, few are ever there.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/idempotency.hpp"
#include "control/requests.hpp"
#include "control/session_shared.hpp"
#include "model/template.hpp"
#include "node/placement.hpp"
#include "store/store.hpp"

namespace atl::control {

using model::TemplatePtr;

// What the configuration says of templates.
struct TemplateSettings {
  std::uint32_t pool_size = 0;  // of built-in ones that nobody has changed
  bool package_index = false;   // there is one
};

class Templates {
 public:
  static constexpr std::size_t kMax = 1000;
  static constexpr std::ptrdiff_t kMaxOfTenant = 100;

  // Nodes are told of every change.
  Templates(store::Store& store, const Clock& clock, node::Placement& placement,
            TemplateSettings settings)
      : store_(store), clock_(clock), placement_(placement), settings_(settings) {}

  // Reads the store, and writes the built-in ones that are missing there.
  async::Task<Result<void>> load();

  Result<TemplatePtr> find(const std::string& id) const;  // of any tenant
  std::vector<TemplatePtr> list() const;
  // What the caller sees: the server's, and those of its tenant.
  Result<TemplatePtr> find(const Caller& caller, const std::string& id) const;
  std::vector<TemplatePtr> list(const Caller& caller) const;
  // An owner that named no tenant makes one of the server, everybody else one of its tenant. Ids
  // are unique on the server. kInvalidValue says which member and why; kAlreadyExists.
  async::Task<Result<Outcome<TemplatePtr>>> add(Caller caller, std::string id,
                                                model::TemplateSpec spec, Once once = {});
  // kForbidden for the server's, unless the caller is an owner.
  async::Task<Result<TemplatePtr>> replace(Caller caller, std::string id, model::TemplateSpec spec);
  async::Task<Result<void>> remove(Caller caller, std::string id);  // kConflict for a built-in one

 private:
  Result<TemplatePtr> find_own(const Caller& caller, const std::string& id) const;
  async::Task<Result<void>> write(std::vector<store::Change> changes);

  store::Store& store_;
  const Clock& clock_;
  node::Placement& placement_;
  TemplateSettings settings_;
  std::map<std::string, TemplatePtr> templates_;
};

// What a session is to be: the template's word, the request's within it, and the defaults.
// kInvalidValue for more than the template has.
Result<model::SessionConfig> settle_config(const model::Template& origin,
                                           const ConfigRequest& request,
                                           const SessionLimits& limits);

// python-default, node-default, shell-default.
std::vector<model::Template> built_in_templates();
Result<void> check_template(const std::string& id, const model::TemplateSpec& spec,
                            bool package_index);

}  // namespace atl::control
