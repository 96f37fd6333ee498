// A template: what sessions are made from. The stored form is its JSON.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "model/risk_policy.hpp"
#include "model/session.hpp"

namespace atl::model {

struct TemplateResources {
  double cpu = 0.5;
  std::uint64_t memory = 512;  // MB
  std::uint64_t disk = 1024;   // MB
  std::uint32_t pids = 100;
};
BOOST_DESCRIBE_STRUCT(TemplateResources, (), (cpu, memory, disk, pids))

struct TemplateSecurity {
  bool allow_network = false;
  std::vector<std::string> allowed_domains;
  bool read_only_filesystem = true;
  // Instead of allow_network and allowed_domains. Not described, as in SessionConfig.
  std::optional<NetworkPolicy> network;
};
BOOST_DESCRIBE_STRUCT(TemplateSecurity, (), (allow_network, allowed_domains, read_only_filesystem))

struct TemplateSpec {
  std::string name;
  std::string description;
  std::optional<std::string> backend;  // none: the server's
  std::string image = "host";
  std::string language = "python";  // of code that names none
  TemplateResources resources;
  TemplateSecurity security;
  std::map<std::string, std::string> env;
  std::vector<std::string> preinstalled_packages;
  std::vector<std::string> preload;
  std::uint32_t pool = 0;
  std::optional<std::uint64_t> ttl;  // seconds; none: sessions say, or 300
  std::optional<RiskPolicy> policy;  // of what runs in its sessions
};
BOOST_DESCRIBE_STRUCT(TemplateSpec, (),
                      (name, description, backend, image, language, resources, security, env,
                       preinstalled_packages, preload, pool, ttl, policy))

struct Template {
  std::string id;
  std::string tenant;  // that alone sees it; empty: the server's, seen by everybody
  TemplateSpec spec;
  bool built_in = false;
  std::uint64_t version = 1;  // counts changes: a pool of an older one is drained
  Time created_at{};
  Time updated_at{};
};
using TemplatePtr = std::shared_ptr<const Template>;

// A session with this configuration has the template's own limits.
bool keeps_limits(const Template& origin, const SessionConfig& config);

}  // namespace atl::model
