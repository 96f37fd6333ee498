// Who may see a preview: a request with a token for it, with the cookie that a token became, or
// with a key. On a server without keys, previews below localhost are open to this machine.
#pragma once

#include <string>

#include "api/common/host.hpp"
#include "api/common/refusal.hpp"
#include "async/task.hpp"
#include "control/control.hpp"
#include "http/message.hpp"

namespace atl::api {

struct PreviewGate {
  control::Control* control;
  bool keys = true;  // the server has keys
  std::string domain;
};

// The request lives until this has returned. Whether the caller may see the session is not asked
// here.
async::Task<Answer<control::Caller>> admit_to_preview(PreviewGate gate,
                                                      const http::Request* request,
                                                      PreviewHost host);

// 404 for ports that are no previews.
Answer<void> check_preview_port(std::uint16_t port);

}  // namespace atl::api
