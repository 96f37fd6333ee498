// Making sessions, for every path that does: POST /sessions, its alias, and POST /run.
#pragma once

#include <chrono>
#include <optional>

#include "api/rest/call.hpp"
#include "api/rest/once.hpp"

namespace atl::api::rest {

struct Creation {
  bool wait = false;
  std::optional<std::chrono::seconds> seconds;
  int ready_status = 201;  // when it waited
};

// The answer to a request for a session, from checking its snapshot to the wait for its readiness.
Task<Answer<http::Response>> create_and_answer(Call call, control::CreateRequest request, Once once,
                                               Creation how);

// Until it is ready; why it never will be otherwise. At the deadline: as it is.
Task<Answer<model::Session>> wait_until_ready(Call call, control::LiveSessionPtr session,
                                              async::Deadline deadline);

}  // namespace atl::api::rest
