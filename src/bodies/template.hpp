// Bodies about templates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "bodies/common.hpp"
#include "bodies/network.hpp"
#include "model/template.hpp"

namespace atl::bodies {

struct TemplateSecurityBody {
  bool allow_network = false;
  std::vector<std::string> allowed_domains;
  std::optional<NetworkPolicyBody> network;
  bool read_only_filesystem = true;
};
BOOST_DESCRIBE_STRUCT(TemplateSecurityBody, (),
                      (allow_network, allowed_domains, network, read_only_filesystem))

// In a request: the members of model::TemplateSpec, with what may be said of a network.
struct TemplateSpecBody {
  std::optional<std::string> id;  // of a new one; in a replacement it may only be repeated
  std::string name;
  std::string description;
  std::optional<std::string> backend;
  std::string image = "host";
  std::string language = "python";
  model::TemplateResources resources;
  TemplateSecurityBody security;
  StringMap env;
  std::vector<std::string> preinstalled_packages;
  std::vector<std::string> preload;
  std::uint32_t pool = 0;
  std::optional<std::uint64_t> ttl;
  std::optional<model::RiskPolicy> policy;
};
BOOST_DESCRIBE_STRUCT(TemplateSpecBody, (),
                      (id, name, description, backend, image, language, resources, security, env,
                       preinstalled_packages, preload, pool, ttl, policy))

struct TemplateBody {
  std::string id;
  Nullable<std::string> tenant;  // null: the server's, seen by everybody
  std::string name;
  std::string description;
  Nullable<std::string> backend;  // null: the server's
  std::string image;
  std::string language;
  model::TemplateResources resources;
  TemplateSecurityBody security;
  StringMap env;
  std::vector<std::string> preinstalled_packages;
  std::vector<std::string> preload;
  std::uint32_t pool = 0;
  Nullable<std::uint64_t> ttl;
  model::RiskPolicy policy;
  bool built_in = false;
  std::uint64_t version = 0;
  std::string created_at;
  std::string updated_at;
};
BOOST_DESCRIBE_STRUCT(TemplateBody, (),
                      (id, tenant, name, description, backend, image, language, resources, security,
                       env, preinstalled_packages, preload, pool, ttl, policy, built_in, version,
                       created_at, updated_at))

struct TemplateListBody {
  std::vector<TemplateBody> templates;
};
BOOST_DESCRIBE_STRUCT(TemplateListBody, (), (templates))

}  // namespace atl::bodies
