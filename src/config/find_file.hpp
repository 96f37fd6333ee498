// Which file is the configuration, and what stands in it. Blocks; called before the server runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/load.hpp"

namespace atl::config {

struct Places {
  std::string file;  // of --config; it must be there. Empty: the first of the next three
  std::string data;  // DATA/config.json
  std::string home;  // HOME/.atoll/config.json
  std::string system = "/etc/atoll/config.json";
};

// Nothing when there is none. A file that is there but cannot be read is an error.
Result<std::optional<FileText>> find_file(const Places& places);

// The data folder while the file is still to be found: that of an override or of ATOLL_DATA, else
// `fallback`.
std::string early_data_folder(const Sources& sources, const std::string& fallback);

// "~/x" in the home folder of `home`; anything else as it is.
std::string expand_home(const std::string& path, const std::string& home);

}  // namespace atl::config
