// Which server a command talks to, and with which key. Pure but for the key file.
#pragma once

#include <string>

#include "cli/remote/options.hpp"
#include "client/api.hpp"

namespace atl::cli {

struct ServerSources {
  const char* server = nullptr;  // ATOLL_SERVER
  const char* key = nullptr;     // ATOLL_KEY
  std::string key_file = {};     // for servers of this machine
};

Result<client::Address> choose_server(const RemoteOptions& options, const ServerSources& sources);

// A key in a file is sent to nobody else.
bool is_this_machine(std::string_view url);

}  // namespace atl::cli
