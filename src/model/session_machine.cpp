#include "model/session_machine.hpp"

#include <array>

namespace atl::model {

namespace {

using P = SessionPhase;
using E = SessionEvent;

constexpr std::array kTable = {
    SessionTransition{P::kMaking, E::kMade, P::kReady},
    SessionTransition{P::kMaking, E::kNotMade, P::kEnding},
    SessionTransition{P::kMaking, E::kEnd, P::kEndingUnmade},
    SessionTransition{P::kMaking, E::kDropped, P::kEnded},

    SessionTransition{P::kFinding, E::kFound, P::kReady},
    SessionTransition{P::kFinding, E::kFoundPaused, P::kPaused},
    SessionTransition{P::kFinding, E::kMakeAgain, P::kMaking},
    SessionTransition{P::kFinding, E::kEnd, P::kEndingUnfound},

    SessionTransition{P::kReady, E::kPause, P::kPausing},
    SessionTransition{P::kReady, E::kResume, P::kThawing},
    SessionTransition{P::kReady, E::kPausedOutside, P::kPaused},
    SessionTransition{P::kReady, E::kEnd, P::kEnding},
    SessionTransition{P::kReady, E::kDropped, P::kEnded},

    SessionTransition{P::kPausing, E::kFrozen, P::kPaused},
    SessionTransition{P::kPausing, E::kUnchanged, P::kReady},
    SessionTransition{P::kPausing, E::kEnd, P::kEndingFreezing},

    SessionTransition{P::kPaused, E::kResume, P::kResuming},
    SessionTransition{P::kPaused, E::kResumedOutside, P::kReady},
    SessionTransition{P::kPaused, E::kEnd, P::kEnding},

    SessionTransition{P::kResuming, E::kThawed, P::kReady},
    SessionTransition{P::kResuming, E::kUnchanged, P::kPaused},
    SessionTransition{P::kResuming, E::kEnd, P::kEndingFreezing},

    SessionTransition{P::kThawing, E::kThawed, P::kReady},
    SessionTransition{P::kThawing, E::kUnchanged, P::kReady},
    SessionTransition{P::kThawing, E::kEnd, P::kEndingFreezing},

    // kOver does not wait for the other party for ever: a launcher may take minutes to make what
    // nobody wants any more.
    SessionTransition{P::kEndingUnmade, E::kMade, P::kEnding},
    SessionTransition{P::kEndingUnmade, E::kNotMade, P::kEnding},
    SessionTransition{P::kEndingUnmade, E::kOver, P::kEnded},

    SessionTransition{P::kEndingUnfound, E::kOver, P::kEnded},

    SessionTransition{P::kEndingFreezing, E::kFrozen, P::kEnding},
    SessionTransition{P::kEndingFreezing, E::kThawed, P::kEnding},
    SessionTransition{P::kEndingFreezing, E::kUnchanged, P::kEnding},
    SessionTransition{P::kEndingFreezing, E::kOver, P::kEnded},

    SessionTransition{P::kEnding, E::kOver, P::kEnded},
};

}  // namespace

std::span<const SessionTransition> session_transitions() { return kTable; }

std::optional<SessionPhase> next_phase(SessionPhase phase, SessionEvent event) {
  return next_in<SessionPhase, SessionEvent>(kTable, phase, event);
}

std::optional<SessionState> stored_state(SessionPhase phase) {
  switch (phase) {
    case P::kMaking: return SessionState::kCreating;
    case P::kReady:
    case P::kPausing:
    case P::kThawing: return SessionState::kReady;
    case P::kPaused:
    case P::kResuming: return SessionState::kPaused;
    case P::kFinding:
    case P::kEndingUnmade:
    case P::kEndingUnfound:
    case P::kEndingFreezing:
    case P::kEnding:
    case P::kEnded: return std::nullopt;  // the event that led here said which end it is
  }
  return std::nullopt;
}

}  // namespace atl::model
