#include "model/execution_machine.hpp"

#include <array>

namespace atl::model {

namespace {

using P = ExecutionPhase;
using E = ExecutionEvent;

constexpr std::array kTable = {
    ExecutionTransition{P::kAwaiting, E::kApprove, P::kQueued},
    ExecutionTransition{P::kAwaiting, E::kReject, P::kRefused},
    ExecutionTransition{P::kAwaiting, E::kCancel, P::kRecalled},
    ExecutionTransition{P::kAwaiting, E::kFinish, P::kStoring},  // its session ended first
    ExecutionTransition{P::kRecalled, E::kFinish, P::kStoring},
    ExecutionTransition{P::kRefused, E::kFinish, P::kStoring},

    ExecutionTransition{P::kQueued, E::kBegin, P::kRunning},
    ExecutionTransition{P::kQueued, E::kCancel, P::kWithdrawn},
    ExecutionTransition{P::kQueued, E::kFinish, P::kStoring},  // its session ended first

    ExecutionTransition{P::kWithdrawn, E::kBegin, P::kCancelling},  // its turn came meanwhile
    ExecutionTransition{P::kWithdrawn, E::kFinish, P::kStoring},

    ExecutionTransition{P::kRunning, E::kCancel, P::kCancelling},
    ExecutionTransition{P::kRunning, E::kTimeUp, P::kTimedOut},
    ExecutionTransition{P::kRunning, E::kFinish, P::kStoring},

    // Whoever cancels is told that it was cancelled, also when its time was up first.
    ExecutionTransition{P::kCancelling, E::kTimeUp, P::kCancelling},
    ExecutionTransition{P::kCancelling, E::kFinish, P::kStoring},

    ExecutionTransition{P::kTimedOut, E::kCancel, P::kCancelling},
    ExecutionTransition{P::kTimedOut, E::kFinish, P::kStoring},

    ExecutionTransition{P::kStoring, E::kWritten, P::kDone},
};

}  // namespace

std::span<const ExecutionTransition> execution_transitions() { return kTable; }

std::optional<ExecutionPhase> next_phase(ExecutionPhase phase, ExecutionEvent event) {
  return next_in<ExecutionPhase, ExecutionEvent>(kTable, phase, event);
}

std::optional<ExecutionState> stored_state(ExecutionPhase phase) {
  switch (phase) {
    case P::kAwaiting:
    case P::kRecalled:
    case P::kRefused: return ExecutionState::kAwaitingApproval;
    case P::kQueued:
    case P::kWithdrawn: return ExecutionState::kQueued;
    case P::kRunning:
    case P::kCancelling:
    case P::kTimedOut: return ExecutionState::kRunning;
    case P::kStoring:
    case P::kDone: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace atl::model
