// Where one server keeps what it has.
#pragma once

#include <string>

namespace atl::server {

struct Place {
  std::string data_folder;
  bool temporary = false;  // ends with standard input, and the data folder goes with it
  std::string run_folder;  // sockets of guests: a name for each data folder
};

}  // namespace atl::server
