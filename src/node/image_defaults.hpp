// An image of this host's store, and what programs get from it.
#pragma once

#include <string>

#include "images/program_defaults.hpp"
#include "images/store.hpp"
#include "model/template.hpp"
#include "node/node.hpp"

namespace atl::node {

struct UsedImage {
  images::Lease lease;
  images::ProgramDefaults defaults;
};

// Blocks: waits while an import writes, and reads files.
Result<UsedImage> use_image(const std::string& name);

void set_defaults(sandbox::Sandbox& sandbox, images::ProgramDefaults defaults);

// What a session has: what it asked for, else what its template says.
sandbox::Limits limits_of(const model::Template& origin, const model::SessionConfig& config);

// The same for a sandbox that was found again, with its limits, from the image that has the name
// now. If there is none the sandbox goes without, and the log says so.
async::Task<void> find_defaults(SandboxPtr sandbox, TemplatePtr origin,
                                model::SessionConfig config);

}  // namespace atl::node
