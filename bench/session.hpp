// Sessions of a running server, for the programs that measure it over HTTP.
#pragma once

#include <string>

#include "http.hpp"

namespace atl::bench {

// A session that is there when it returns: its id.
std::string make_session(Connection& connection, const Target& target, const std::string& body);
void delete_session(Connection& connection, const Target& target, const std::string& id);
// Until the warm pool of a template has this many: figures of warm starts begin warm.
void wait_for_pool(Connection& connection, const Target& target, const std::string& template_id);
// The body; the end of the program when the status is another.
std::string must_be(int status, Reply reply);

}  // namespace atl::bench
