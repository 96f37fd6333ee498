// Bodies about templates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "bodies/common.hpp"
#include "model/template.hpp"

namespace atl::bodies {

// In a request.
struct TemplateSpecBody : model::TemplateSpec {
  std::optional<std::string> id;  // of a new one; in a replacement it may only be repeated
};
BOOST_DESCRIBE_STRUCT(TemplateSpecBody, (model::TemplateSpec), (id))

struct TemplateBody {
  std::string id;
  Nullable<std::string> tenant;  // null: the server's, seen by everybody
  std::string name;
  std::string description;
  Nullable<std::string> backend;  // null: the server's
  std::string image;
  std::string language;
  model::TemplateResources resources;
  model::TemplateSecurity security;
  StringMap env;
  std::vector<std::string> preinstalled_packages;
  std::vector<std::string> preload;
  std::uint32_t pool = 0;
  Nullable<std::uint64_t> ttl;
  bool built_in = false;
  std::uint64_t version = 0;
  std::string created_at;
  std::string updated_at;
};
BOOST_DESCRIBE_STRUCT(TemplateBody, (),
                      (id, tenant, name, description, backend, image, language, resources, security,
                       env, preinstalled_packages, preload, pool, ttl, built_in, version,
                       created_at, updated_at))

struct TemplateListBody {
  std::vector<TemplateBody> templates;
};
BOOST_DESCRIBE_STRUCT(TemplateListBody, (), (templates))

}  // namespace atl::bodies
