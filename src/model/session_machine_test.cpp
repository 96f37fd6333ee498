#include "model/session_machine.hpp"

#include <gtest/gtest.h>

#include "model/test_machine.hpp"

namespace atl::model {
namespace {

using test::all_of;
using E = SessionEvent;
using P = SessionPhase;

TEST(SessionMachine, AllowsTheseTransitionsAndNoOther) {
  test::Allowed<P, E> allowed{
      {{P::kMaking, E::kMade}, P::kReady},
      {{P::kMaking, E::kNotMade}, P::kEnding},
      {{P::kMaking, E::kDropped}, P::kEnded},
      {{P::kReady, E::kDropped}, P::kEnded},
      // After a restart.
      {{P::kFinding, E::kFound}, P::kReady},
      {{P::kFinding, E::kFoundPaused}, P::kPaused},
      {{P::kFinding, E::kMakeAgain}, P::kMaking},
      // Pause and resume, by a client.
      {{P::kReady, E::kPause}, P::kPausing},
      {{P::kPausing, E::kFrozen}, P::kPaused},
      {{P::kPausing, E::kUnchanged}, P::kReady},
      {{P::kPaused, E::kResume}, P::kResuming},
      {{P::kResuming, E::kThawed}, P::kReady},
      {{P::kResuming, E::kUnchanged}, P::kPaused},
      {{P::kReady, E::kResume}, P::kThawing},
      {{P::kThawing, E::kThawed}, P::kReady},
      {{P::kThawing, E::kUnchanged}, P::kReady},
      // By somebody else.
      {{P::kReady, E::kPausedOutside}, P::kPaused},
      {{P::kPaused, E::kResumedOutside}, P::kReady},
      // The end, from wherever it is.
      {{P::kMaking, E::kEnd}, P::kEndingUnmade},
      {{P::kFinding, E::kEnd}, P::kEndingUnfound},
      {{P::kReady, E::kEnd}, P::kEnding},
      {{P::kPaused, E::kEnd}, P::kEnding},
      {{P::kPausing, E::kEnd}, P::kEndingFreezing},
      {{P::kResuming, E::kEnd}, P::kEndingFreezing},
      {{P::kThawing, E::kEnd}, P::kEndingFreezing},
      {{P::kEndingUnmade, E::kMade}, P::kEnding},
      {{P::kEndingUnmade, E::kNotMade}, P::kEnding},
      {{P::kEndingFreezing, E::kFrozen}, P::kEnding},
      {{P::kEndingFreezing, E::kThawed}, P::kEnding},
      {{P::kEndingFreezing, E::kUnchanged}, P::kEnding},
      {{P::kEndingUnmade, E::kOver}, P::kEnded},
      {{P::kEndingUnfound, E::kOver}, P::kEnded},
      {{P::kEndingFreezing, E::kOver}, P::kEnded},
      {{P::kEnding, E::kOver}, P::kEnded},
  };
  test::expect_pairs(allowed);
  EXPECT_EQ(session_transitions().size(), allowed.size());
  test::expect_unambiguous(session_transitions());
}

TEST(SessionMachine, EveryStateIsReachableAndLeadsToTheEnd) {
  std::set<P> reached = test::reachable_from<P, E>(P::kMaking);
  reached.merge(test::reachable_from<P, E>(P::kFinding));
  for (const auto& [phase, name] : all_of<P>()) {
    EXPECT_TRUE(reached.contains(phase)) << name;
    EXPECT_TRUE((test::reachable_from<P, E>(phase).contains(P::kEnded))) << name;
  }
}

TEST(SessionMachine, OneThatEndsNeverComesBack) {
  for (const auto& [phase, name] : all_of<P>()) {
    EXPECT_NE(is_ending(phase), next_phase(phase, E::kEnd).has_value()) << name;
    for (const auto& [event, event_name] : all_of<E>()) {
      std::optional<P> next = next_phase(phase, event);
      if (next && is_ending(phase)) EXPECT_TRUE(is_ending(*next)) << name << " + " << event_name;
    }
  }
}

// What a step of freezing ends with is possible exactly while somebody freezes.
TEST(SessionMachine, FreezingIsWhereAStepCanFail) {
  for (const auto& [phase, name] : all_of<P>()) {
    EXPECT_EQ(is_freezing(phase), next_phase(phase, E::kUnchanged).has_value()) << name;
  }
}

TEST(SessionMachine, SaysWhatIsStored) {
  const std::map<P, SessionState> stored{
      {P::kMaking, SessionState::kCreating}, {P::kReady, SessionState::kReady},
      {P::kPausing, SessionState::kReady},   {P::kThawing, SessionState::kReady},
      {P::kPaused, SessionState::kPaused},   {P::kResuming, SessionState::kPaused}};
  for (const auto& [phase, name] : all_of<P>()) {
    auto expected = stored.find(phase);
    ASSERT_EQ(stored_state(phase).has_value(), expected != stored.end()) << name;
    if (expected != stored.end()) EXPECT_EQ(stored_state(phase), expected->second) << name;
    EXPECT_EQ(!stored_state(phase), is_ending(phase) || phase == P::kFinding) << name;
  }
  EXPECT_TRUE(is_unfound(P::kFinding));
  EXPECT_TRUE(is_unfound(P::kEndingUnfound));
  EXPECT_FALSE(is_unfound(P::kMaking));
}

TEST(SessionMachine, AStoredSessionGoesOnAsItWas) {
  EXPECT_EQ(next_phase(P::kFinding, found_event(SessionState::kReady)), P::kReady);
  EXPECT_EQ(next_phase(P::kFinding, found_event(SessionState::kRunning)), P::kReady);
  EXPECT_EQ(next_phase(P::kFinding, found_event(SessionState::kPaused)), P::kPaused);
}

}  // namespace
}  // namespace atl::model
