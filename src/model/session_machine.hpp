// The state machine of a session in this server. Clients and the store know the states of the
// contract (SessionState); this one has an inner state wherever one name stands for several.
// Pure: whoever carries out a step applies the event. control/live_session.hpp holds the state.
#pragma once

#include <optional>
#include <span>

#include <boost/describe/enum.hpp>

#include "model/machine.hpp"
#include "model/session.hpp"

namespace atl::model {

BOOST_DEFINE_ENUM_CLASS(SessionPhase,
                        kMaking,    // creating: its sandbox is being made
                        kFinding,   // after a restart: its sandbox is not found again yet
                        kReady,     // ready, or running while an execution runs
                        kPausing,   // still ready: its sandbox is being frozen
                        kPaused,    // paused
                        kResuming,  // still paused: its sandbox is being thawed
                        kThawing,   // ready: thawed in case somebody else has frozen it
                        // Four ways to be ending. Clients see the state from before.
                        kEndingUnmade,    // its sandbox is still being made
                        kEndingUnfound,   // its sandbox was never found again
                        kEndingFreezing,  // its sandbox is still being frozen or thawed
                        kEnding,
                        kEnded)  // completed, terminated or failed

BOOST_DEFINE_ENUM_CLASS(SessionEvent,
                        kMade,           // its sandbox is there
                        kNotMade,        // nobody makes its sandbox any more
                        kFound,          // after a restart
                        kFoundPaused,    // the same, of one that was paused
                        kMakeAgain,      // after a restart: it had no sandbox yet
                        kPause,          // asked for
                        kResume,         // asked for
                        kFrozen,         // done
                        kThawed,         // done
                        kUnchanged,      // neither: it failed, or nobody waits for it any more
                        kPausedOutside,  // by somebody else, who works on the backend
                        kResumedOutside,
                        kEnd,      // DELETE, expiry, failure or shutdown
                        kOver,     // nothing is left to do for its end
                        kDropped)  // the store did not take it, and no client knows of it

using SessionTransition = Transition<SessionPhase, SessionEvent>;

std::span<const SessionTransition> session_transitions();

// Nothing: not allowed.
std::optional<SessionPhase> next_phase(SessionPhase phase, SessionEvent event);

// What the store has when the last write of this phase is done. Nothing: the state from before.
// kMaking is written before create answers, kEnded when the end is committed.
std::optional<SessionState> stored_state(SessionPhase phase);

// How a stored session of the last server goes on once its sandbox is found.
constexpr SessionEvent found_event(SessionState stored) {
  return stored == SessionState::kPaused ? SessionEvent::kFoundPaused : SessionEvent::kFound;
}

// Also when it has ended.
constexpr bool is_ending(SessionPhase phase) {
  return phase == SessionPhase::kEndingUnmade || phase == SessionPhase::kEndingUnfound ||
         phase == SessionPhase::kEndingFreezing || phase == SessionPhase::kEnding ||
         phase == SessionPhase::kEnded;
}

// Its sandbox is being frozen or thawed.
constexpr bool is_freezing(SessionPhase phase) {
  return phase == SessionPhase::kPausing || phase == SessionPhase::kResuming ||
         phase == SessionPhase::kThawing || phase == SessionPhase::kEndingFreezing;
}

// Nobody in this server holds its sandbox, which may exist all the same.
constexpr bool is_unfound(SessionPhase phase) {
  return phase == SessionPhase::kFinding || phase == SessionPhase::kEndingUnfound;
}

}  // namespace atl::model
