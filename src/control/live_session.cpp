#include "control/live_session.hpp"

#include <stdexcept>

#include "codec/names.hpp"

namespace atl::control {

namespace {

template <typename Phase, typename Event>
[[noreturn]] void refuse(Phase phase, Event event) {
  throw std::logic_error("event " + codec::enum_name(event) + " in state " +
                         codec::enum_name(phase));
}

}  // namespace

bool LiveSession::try_apply(model::SessionEvent event) {
  std::optional<model::SessionPhase> next = model::next_phase(phase_, event);
  if (!next) return false;
  phase_ = *next;
  if (std::optional<model::SessionState> state = model::stored_state(phase_)) row.state = *state;
  return true;
}

void LiveSession::apply(model::SessionEvent event) {
  if (!try_apply(event)) refuse(phase_, event);
}

bool LiveExecution::try_apply(model::ExecutionEvent event) {
  std::optional<model::ExecutionPhase> next = model::next_phase(phase_, event);
  if (!next) return false;
  phase_ = *next;
  if (std::optional<model::ExecutionState> state = model::stored_state(phase_)) row.state = *state;
  return true;
}

void LiveExecution::apply(model::ExecutionEvent event) {
  if (!try_apply(event)) refuse(phase_, event);
}

void LiveExecution::set_awaiting() {
  phase_ = model::ExecutionPhase::kAwaiting;
  row.state = model::ExecutionState::kAwaitingApproval;
}

Use::Use(LiveSessionPtr session, const Clock& clock)
    : session_(std::move(session)), sandbox_(session_->sandbox), clock_(&clock) {
  ++session_->users;
}

Use::~Use() {
  if (session_ == nullptr) return;  // moved from
  --session_->users;
  session_->touched = true;
  session_->idle_since = clock_->steady();
}

}  // namespace atl::control
