// Whose sandboxes those are that several servers have on one engine or server: an id that is made
// once for a folder and kept beside it, so that it goes where the data folder goes.
#pragma once

#include <string>

#include "base/result.hpp"

namespace atl::sandbox {

// The id in FOLDER.instance; `first` becomes it where there is none yet. Empty `folder`: nothing is
// kept, and `first` it is.
Result<std::string> instance_of(const std::string& folder, std::string first);

}  // namespace atl::sandbox
