// The state machine of an execution in this server. Clients and the store know the states of the
// contract (ExecutionState); this one has an inner state wherever one name stands for several.
// Pure: whoever carries out a step applies the event. control/live_session.hpp holds the state.
#pragma once

#include <optional>
#include <span>

#include <boost/describe/enum.hpp>

#include "model/execution.hpp"
#include "model/machine.hpp"

namespace atl::model {

BOOST_DEFINE_ENUM_CLASS(ExecutionPhase,
                        kAwaiting,    // for the word of a person, before it is queued
                        kRecalled,    // still awaiting approval: cancelled before anybody decided
                        kRefused,     // still awaiting approval: rejected, or the time was up
                        kQueued,      // waits for its session, or for those before it
                        kWithdrawn,   // still queued: cancelled before it began
                        kRunning,     // running
                        kCancelling,  // still running: it is told to end
                        kTimedOut,    // still running: its time was up and its program is gone
                        kStoring,     // its final state is known and being written
                        kDone)        // and written

BOOST_DEFINE_ENUM_CLASS(ExecutionEvent, kApprove, kReject,
                        kBegin,   // its turn has come
                        kCancel,  // asked for
                        kTimeUp,
                        kFinish,   // it has ended, or never began
                        kWritten)  // or the store has refused it for good

using ExecutionTransition = Transition<ExecutionPhase, ExecutionEvent>;

std::span<const ExecutionTransition> execution_transitions();

// Nothing: not allowed.
std::optional<ExecutionPhase> next_phase(ExecutionPhase phase, ExecutionEvent event);

// What its row says. The store gets it when a client is told of the execution, and again at the
// end; of others only the end. Nothing: the final state, which depends on how it ended.
std::optional<ExecutionState> stored_state(ExecutionPhase phase);

// Somebody has cancelled it before its final state was known.
constexpr bool is_cancelled(ExecutionPhase phase) {
  return phase == ExecutionPhase::kRecalled || phase == ExecutionPhase::kWithdrawn ||
         phase == ExecutionPhase::kCancelling;
}

}  // namespace atl::model
