#include "node/image_defaults.hpp"

#include <utility>

#include "sandbox/defaults.hpp"

namespace atl::node {

Result<UsedImage> use_image(const std::string& name, images::LockWait wait) {
  ATOLL_TRY(std::string folder, images::data_folder());
  ATOLL_TRY(images::Store store, images::Store::open(folder));
  ATOLL_TRY(images::Lease lease, store.use(name, wait));
  images::ProgramDefaults defaults = images::program_defaults(lease.image.config, lease.layers);
  return UsedImage{.lease = std::move(lease), .defaults = std::move(defaults)};
}

void set_defaults(sandbox::Sandbox& sandbox, images::ProgramDefaults defaults) {
  auto* keeps = dynamic_cast<sandbox::KeepsDefaults*>(&sandbox);
  if (keeps != nullptr) keeps->set_defaults(std::move(defaults.env), std::move(defaults.cwd));
}

}  // namespace atl::node
