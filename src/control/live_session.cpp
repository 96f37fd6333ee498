#include "control/live_session.hpp"

namespace atl::control {

Use::Use(LiveSessionPtr session) : session_(std::move(session)), sandbox_(session_->sandbox) {
  ++session_->users;
}

Use::~Use() {
  if (session_ == nullptr) return;  // moved from
  --session_->users;
  session_->touched = true;
  session_->idle_since = std::chrono::steady_clock::now();
}

}  // namespace atl::control
