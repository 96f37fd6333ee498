// --image NAME: what an image changes about a run.
#pragma once

#include <string>

#include "cli/run/run_options.hpp"
#include "images/image.hpp"
#include "sandbox/spec.hpp"

namespace atl::cli {

// Takes the image into use: its layers go into `spec`, which keeps them in place.
Result<images::ImageConfig> use_image(const std::string& name, sandbox::SandboxSpec& spec);

// The options with the image's own command when none was given.
RunOptions with_image_command(RunOptions options, const images::ImageConfig& config);

}  // namespace atl::cli
