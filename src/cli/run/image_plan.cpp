#include "cli/run/image_plan.hpp"

#include "images/store.hpp"

namespace atl::cli {

Result<images::ImageConfig> use_image(const std::string& name, sandbox::SandboxSpec& spec) {
  ATOLL_TRY(std::string folder, images::data_folder());
  ATOLL_TRY(images::Store store, images::Store::open(folder));
  ATOLL_TRY(images::Lease lease, store.use(name));
  if (lease.layers.empty()) {
    return fail(Code::kInvalidArgument, "--image: " + lease.image.name + " has no files");
  }
  spec.image = lease.image.name;
  spec.layers = std::move(lease.layers);
  return std::move(lease.image.config);
}

RunOptions with_image_command(RunOptions options, const images::ImageConfig& config) {
  if (options.code || !options.arguments.empty()) return options;
  options.arguments = config.entrypoint;
  options.arguments.insert(options.arguments.end(), config.cmd.begin(), config.cmd.end());
  options.separated = true;  // a program in any case, never a script of the host
  return options;
}

}  // namespace atl::cli
