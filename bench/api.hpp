// The cases of atoll-bench-api; each prints its rows.
#pragma once

#include <sys/types.h>

#include "http.hpp"

namespace atl::bench {

struct Setting {
  Target atoll;
  pid_t server = 0;  // the process behind it
  Target nginx;
  pid_t nginx_pid = 0;
  bool quick = false;
};

void measure_requests(const Setting& setting);  // what a request costs beside nginx
void measure_lives(const Setting& setting);     // sandboxes made, used once and deleted
void measure_sessions(const Setting& setting);  // executions in a live session, idle ones, bombs
void measure_streams(const Setting& setting);   // large files and outputs

// A session that is there when it returns: its id.
std::string make_session(Connection& connection, const Target& target, const std::string& body);
void delete_session(Connection& connection, const Target& target, const std::string& id);
// Until the warm pool of a template has this many: figures of warm starts begin warm.
void wait_for_pool(Connection& connection, const Target& target, const std::string& template_id);
// The body; the end of the program when the status is another.
std::string must_be(int status, Reply reply);

}  // namespace atl::bench
