// --image NAME: what an image changes about a run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_options.hpp"
#include "images/image.hpp"
#include "sandbox/spec.hpp"

namespace atl::cli {

// Takes the image into use: its layers go into `spec`, which keeps them in place.
Result<images::ImageConfig> use_image(const std::string& name, sandbox::SandboxSpec& spec);

// The image's variables, below those that were asked for.
void add_image_environment(const images::ImageConfig& config,
                           std::map<std::string, std::string>& environment);

// The options with the image's own command when none was given.
RunOptions with_image_command(RunOptions options, const images::ImageConfig& config);

// Where the image's command starts; empty when it does not say, or says what it does not have.
std::string image_workdir(const images::ImageConfig& config, const sandbox::SandboxSpec& spec);

// The names that a folder has in any layer: more than the image shows where a layer removes some.
std::vector<std::string> names_in_layers(const std::string& folder, bool follow,
                                         std::span<const UniqueFd> layers);

}  // namespace atl::cli
