// Links that let a browser into a preview, for whatever protocol hands them out.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "control/control.hpp"
#include "model/session.hpp"

namespace atl::api {

struct PreviewWish {
  SessionId session;
  std::uint16_t port = 0;
  std::chrono::seconds ttl{3600};
  std::string host;    // that the request named, with its port: links begin there
  bool https = false;  // of the request
  std::string own;     // the server's own address: "http://127.0.0.1:8080"
  std::string preview_domain;
};

struct PreviewLinks {
  std::string token;
  model::Time expires{};
  std::vector<std::string> urls;  // the preview domain's first, where there is one
};

model::Time preview_end(const control::Control& control, std::chrono::seconds time);
std::string sign_preview(control::Control& control, const control::Caller& caller,
                         const SessionId& session, std::uint16_t port,
                         control::PreviewTokens::Kind kind, model::Time expires);

// Recorded. Whether there is such a session is not asked here.
PreviewLinks make_preview_links(control::Control& control, const control::Caller& caller,
                                const PreviewWish& wish);

}  // namespace atl::api
