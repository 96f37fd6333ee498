// The cases of atoll-bench-api; each prints its rows.
#pragma once

#include <sys/types.h>

#include "session.hpp"

namespace atl::bench {

struct Setting {
  Target atoll;
  pid_t server = 0;  // the process behind it
  Target nginx;
  pid_t nginx_pid = 0;
  bool quick = false;
  bool crowd = false;     // nothing but measure_crowd()
  bool dialects = false;  // nothing but measure_dialects()
};

void measure_requests(const Setting& setting);  // what a request costs beside nginx
void measure_lives(const Setting& setting);     // sandboxes made, used once and deleted
void measure_sessions(const Setting& setting);  // executions in a live session, idle ones, bombs
void measure_streams(const Setting& setting);   // large files and outputs
void measure_crowd(const Setting& setting, int clients);  // more clients than the pool has
                                                          // sandboxes
void measure_dialects(const Setting& setting);            // their calls beside those of REST

}  // namespace atl::bench
