#include "server/prepare_backends.hpp"

#include <unistd.h>

#include <algorithm>

#include "images/store.hpp"
#include "model/template.hpp"
#include "observe/log.hpp"
#include "server/settings.hpp"

namespace atl::server {
namespace {

void add(std::vector<WantedBackend>& all, const std::string& name, bool named) {
  auto found = std::ranges::find(all, name, &WantedBackend::name);
  if (found == all.end()) found = all.insert(all.end(), {name, named});
  found->named |= named;
}

class Preparation {
 public:
  Preparation(const config::Config& config, const Place& place, const cli::Identity& identity)
      : config_(config), place_(place), identity_(identity) {}

  Result<void> add(const sandbox::BackendEntry& entry, bool named) {
    shares_groups_ |= entry.shares_groups;
    if (!entry.prepare_as_root) return {};
    sandbox::BackendOptions options = backend_folders(place_);
    options.config = config_.sandbox.backends.of(entry.name);
    options.named = named;
    if (::geteuid() == 0) options.image_folder = images::data_folder().value_or("");
    ATOLL_TRY(sandbox::Prepared prepared,
              entry.prepare_as_root(options, identity_.uid, identity_.gid));
    if (prepared.group) ATOLL_CHECK(keep(*prepared.group));
    all_.by_name.emplace(entry.name, std::move(prepared));
    return {};
  }

  PreparedBackends take() {
    all_.as_root = ::geteuid() == 0;
    return std::move(all_);
  }

 private:
  Result<void> keep(unsigned group) {
    if (shares_groups_) {
      return fail(Code::kConflict,
                  "it needs a group that sandboxes of another backend of this server would have as "
                  "well; give it a server of its own");
    }
    if (all_.group && *all_.group != group) {
      return fail(Code::kConflict, "it needs a second group; a server keeps one");
    }
    all_.group = group;
    return {};
  }

  const config::Config& config_;
  const Place& place_;
  const cli::Identity& identity_;
  PreparedBackends all_;
  bool shares_groups_ = false;
};

}  // namespace

std::vector<WantedBackend> wanted_backends(const config::Loaded& loaded,
                                           const std::vector<std::string>& of_templates) {
  std::vector<WantedBackend> all{{loaded.config.sandbox.backend}};
  for (const std::string& name : of_templates) add(all, name, false);
  constexpr std::string_view kBlocks = "sandbox.backends.";
  for (const auto& [path, origin] : loaded.origins) {
    if (!path.starts_with(kBlocks)) continue;
    std::string rest = path.substr(kBlocks.size());
    add(all, rest.substr(0, rest.find('.')), true);
  }
  return all;
}

Result<PreparedBackends> prepare_backends(const sandbox::Registry& registry,
                                          const std::vector<WantedBackend>& wanted,
                                          const config::Config& config, const Place& place,
                                          const cli::Identity& identity) {
  Preparation preparation(config, place, identity);
  for (const auto& [name, named] : wanted) {
    Result<const sandbox::BackendEntry*> entry = registry.get(name);
    if (!entry) continue;  // a request for it is told the known ones
    Result<void> prepared = preparation.add(**entry, named);
    if (prepared) continue;
    if (name == wanted.front().name) return fail(prepared.error());
    log::warn("backend_not_prepared", log::kv("backend", name),
              log::kv("reason", prepared.error().message()));
  }
  return preparation.take();
}

}  // namespace atl::server
