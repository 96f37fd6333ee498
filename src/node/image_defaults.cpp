#include "node/image_defaults.hpp"

#include <utility>

#include "async/pool.hpp"
#include "observe/log.hpp"
#include "sandbox/defaults.hpp"

namespace atl::node {

Result<UsedImage> use_image(const std::string& name) {
  ATOLL_TRY(std::string folder, images::data_folder());
  ATOLL_TRY(images::Store store, images::Store::open(folder));
  ATOLL_TRY(images::Lease lease, store.use(name));
  images::ProgramDefaults defaults = images::program_defaults(lease.image.config, lease.layers);
  return UsedImage{.lease = std::move(lease), .defaults = std::move(defaults)};
}

void set_defaults(sandbox::Sandbox& sandbox, images::ProgramDefaults defaults) {
  auto* keeps = dynamic_cast<sandbox::KeepsDefaults*>(&sandbox);
  if (keeps != nullptr) keeps->set_defaults(std::move(defaults.env), std::move(defaults.cwd));
}

sandbox::Limits limits_of(const model::Template& origin, const model::SessionConfig& config) {
  const model::TemplateResources& most = origin.spec.resources;
  const model::Resources& asked = config.resources;
  sandbox::Limits limits;
  limits.cpus = asked.cpu.value_or(most.cpu);
  limits.memory_bytes = asked.memory.value_or(most.memory) << 20;
  limits.disk_bytes = asked.disk.value_or(most.disk) << 20;
  limits.pids = asked.pids.value_or(most.pids);
  return limits;
}

async::Task<void> find_defaults(SandboxPtr sandbox, TemplatePtr origin,
                                model::SessionConfig config) {
  auto* keeps = dynamic_cast<sandbox::KeepsDefaults*>(sandbox.get());
  if (keeps == nullptr) co_return;
  keeps->set_known_limits(limits_of(*origin, config));
  if (origin->spec.image == "host") co_return;
  async::Pool pool(1);
  Result<UsedImage> image =
      co_await async::on_pool(pool, [name = origin->spec.image] { return use_image(name); });
  if (image) {
    set_defaults(*sandbox, std::move(image->defaults));
  } else {
    log::warn("image_not_found", log::kv("template_id", origin->id),
              log::kv("error", image.error().to_string()));
  }
}

}  // namespace atl::node
