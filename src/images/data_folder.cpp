#include <unistd.h>

#include <cstdlib>

#include "images/store.hpp"

namespace atl::images {

Result<std::string> data_folder() {
  auto absolute = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr && *value == '/' ? value : "";
  };
  if (std::string own = absolute("ATOLL_DATA"); !own.empty()) return own;
  if (::geteuid() == 0) return "/var/lib/atoll";
  if (std::string data = absolute("XDG_DATA_HOME"); !data.empty()) return data + "/atoll";
  if (std::string home = absolute("HOME"); !home.empty()) return home + "/.local/share/atoll";
  return fail(Code::kInvalidArgument,
              "images need a place: set HOME, XDG_DATA_HOME or ATOLL_DATA to an absolute path");
}

Result<std::string> server_folder() {
  ATOLL_TRY(std::string folder, data_folder());
  return folder + "/server";
}

}  // namespace atl::images
