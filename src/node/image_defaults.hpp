// An image of this host's store, and what programs get from it.
#pragma once

#include <string>

#include "images/program_defaults.hpp"
#include "images/store.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::node {

struct UsedImage {
  images::Lease lease;
  images::ProgramDefaults defaults;
};

// Blocks: waits while an import writes, and reads files.
Result<UsedImage> use_image(const std::string& name, images::LockWait wait);

// What a sandbox starts programs with; some have it from their image by themselves.
void set_defaults(sandbox::Sandbox& sandbox, images::ProgramDefaults defaults);

}  // namespace atl::node
