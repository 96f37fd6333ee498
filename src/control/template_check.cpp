// What a template may say, and the ones that are always there.
#include <algorithm>
#include <cmath>

#include "base/environment_name.hpp"
#include "base/field_error.hpp"
#include "control/templates.hpp"
#include "model/image_name.hpp"
#include "node/installers.hpp"
#include "sandbox/preload.hpp"

namespace atl::control {
namespace {

constexpr std::size_t kMaxList = 64;
constexpr std::size_t kMaxText = 4096;
constexpr std::uint64_t kMaxMegabytes = 1 << 20;
constexpr std::uint32_t kMaxPool = 256;
constexpr std::uint64_t kMaxSeconds = 7 * 24 * 3600;

bool is_name(std::string_view text) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= 63 && text[0] != '.' && text[0] != '-' &&
         std::ranges::all_of(text, fits);
}

Result<void> wrong(std::string member, std::string why) {
  return fail(Code::kInvalidValue, member + " " + why);
}

Result<void> check_lists(const model::TemplateSpec& spec) {
  if (spec.preinstalled_packages.size() > kMaxList ||
      spec.security.allowed_domains.size() > kMaxList || spec.env.size() > 256) {
    return wrong("a list", "has too many entries");
  }
  if (spec.security.network &&
      (spec.security.allow_network || !spec.security.allowed_domains.empty())) {
    return fail(field_error(Code::kInvalidValue, "/security/network",
                            "is mutually exclusive with `allow_network` and `allowed_domains`"));
  }
  Result<void> modules = sandbox::check_modules(spec.preload);
  if (!modules) return wrong("preload", modules.error().message());
  for (const auto& [name, value] : spec.env) {
    if (!is_environment_name(name) || !is_environment_value(value) || value.size() > 32 * 1024) {
      return wrong("env", "has a name or value that no program can have: " + name);
    }
  }
  return {};
}

Result<void> check_packages(const model::TemplateSpec& spec, bool index) {
  if (spec.preinstalled_packages.empty()) return {};
  if (!index) {
    return fail(Code::kNoPackageIndex,
                "preinstalled_packages need an index: set packages.index_url in the configuration");
  }
  const node::Installer* installer = node::installer_of(spec.language);
  if (installer == nullptr || spec.image != "host") {
    return wrong("preinstalled_packages",
                 "are for Python and JavaScript with the image `host` only");
  }
  for (const std::string& one : spec.preinstalled_packages) {
    if (!installer->is_package(one)) {
      return wrong("preinstalled_packages",
                   "is not a package name with an optional version: " + one);
    }
  }
  return {};
}

model::Template built_in(std::string id, std::string language, std::string description,
                         std::vector<std::string> preload) {
  model::Template one{.id = id, .built_in = true};
  one.spec.name = std::move(id);
  one.spec.description = std::move(description);
  one.spec.language = std::move(language);
  one.spec.resources.disk = 256;
  one.spec.preload = std::move(preload);
  return one;
}

}  // namespace

Result<void> check_template(const std::string& id, const model::TemplateSpec& spec,
                            bool package_index) {
  if (!is_name(id)) {
    return wrong("id", "must be 1 to 63 of a-z, 0-9, - _ and ., and begin with a letter or digit");
  }
  const model::TemplateResources& resources = spec.resources;
  if (!std::isfinite(resources.cpu) || resources.cpu < 0.01 || resources.cpu > 1024) {
    return wrong("resources.cpu", "must be between 0.01 and 1024");
  }
  if (resources.memory < 8 || resources.memory > kMaxMegabytes) {
    return wrong("resources.memory", "must be between 8 and 1048576 (MB)");
  }
  if (resources.disk < 1 || resources.disk > kMaxMegabytes) {
    return wrong("resources.disk", "must be between 1 and 1048576 (MB)");
  }
  if (resources.pids < 1 || resources.pids > 32768) {
    return wrong("resources.pids", "must be between 1 and 32768");
  }
  if (spec.pool > kMaxPool) return wrong("pool", "must be at most 256");
  if (spec.ttl && (*spec.ttl < 1 || *spec.ttl > kMaxSeconds)) {
    return wrong("ttl", "must be between 1 and 604800 (seconds)");
  }
  if (spec.name.size() > 200) return wrong("name", "is too long");
  if (spec.description.size() > kMaxText) return wrong("description", "is too long");
  if (!model::is_image_name(spec.image)) return wrong("image", model::kImageNameForm);
  ATOLL_CHECK(check_lists(spec));
  return check_packages(spec, package_index);
}

std::vector<model::Template> built_in_templates() {
  std::vector<model::Template> all;
  all.push_back(built_in("python-default", "python", "Python 3 with the host's libraries",
                         {"numpy", "pandas", "requests"}));
  all.push_back(built_in("node-default", "javascript", "JavaScript by Node.js", {}));
  all.push_back(built_in("shell-default", "bash", "A shell and the host's programs", {}));
  return all;
}

}  // namespace atl::control
