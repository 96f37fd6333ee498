#include "model/execution_machine.hpp"

#include <gtest/gtest.h>

#include "model/test_machine.hpp"

namespace atl::model {
namespace {

using test::all_of;
using E = ExecutionEvent;
using P = ExecutionPhase;

TEST(ExecutionMachine, AllowsTheseTransitionsAndNoOther) {
  test::Allowed<P, E> allowed{
      {{P::kAwaiting, E::kApprove}, P::kQueued},      {{P::kAwaiting, E::kReject}, P::kRefused},
      {{P::kAwaiting, E::kCancel}, P::kRecalled},     {{P::kAwaiting, E::kFinish}, P::kStoring},
      {{P::kRecalled, E::kFinish}, P::kStoring},      {{P::kRefused, E::kFinish}, P::kStoring},
      {{P::kQueued, E::kBegin}, P::kRunning},         {{P::kQueued, E::kCancel}, P::kWithdrawn},
      {{P::kWithdrawn, E::kBegin}, P::kCancelling},   {{P::kRunning, E::kCancel}, P::kCancelling},
      {{P::kRunning, E::kTimeUp}, P::kTimedOut},      {{P::kTimedOut, E::kCancel}, P::kCancelling},
      {{P::kCancelling, E::kTimeUp}, P::kCancelling}, {{P::kQueued, E::kFinish}, P::kStoring},
      {{P::kWithdrawn, E::kFinish}, P::kStoring},     {{P::kRunning, E::kFinish}, P::kStoring},
      {{P::kCancelling, E::kFinish}, P::kStoring},    {{P::kTimedOut, E::kFinish}, P::kStoring},
      {{P::kStoring, E::kWritten}, P::kDone},
  };
  test::expect_pairs(allowed);
  EXPECT_EQ(execution_transitions().size(), allowed.size());
  test::expect_unambiguous(execution_transitions());
}

TEST(ExecutionMachine, EveryStateIsReachableAndLeadsToTheEnd) {
  std::set<P> reached = test::reachable_from<P, E>(P::kAwaiting);
  for (const auto& [phase, name] : all_of<P>()) {
    EXPECT_TRUE(reached.contains(phase)) << name;
    EXPECT_TRUE((test::reachable_from<P, E>(phase).contains(P::kDone))) << name;
  }
  EXPECT_EQ((test::reachable_from<P, E>(P::kDone).size()), 1u);
}

// Whoever cancelled is told so: nothing but the end comes behind it.
TEST(ExecutionMachine, ACancelledOneStaysCancelled) {
  for (const auto& [event, name] : all_of<E>()) {
    for (P phase : {P::kRecalled, P::kWithdrawn, P::kCancelling}) {
      std::optional<P> next = next_phase(phase, event);
      if (next) EXPECT_TRUE(is_cancelled(*next) || *next == P::kStoring) << name;
    }
  }
  EXPECT_FALSE(is_cancelled(P::kAwaiting));
  EXPECT_FALSE(is_cancelled(P::kRefused));
  EXPECT_FALSE(is_cancelled(P::kQueued));
  EXPECT_FALSE(is_cancelled(P::kRunning));
  EXPECT_FALSE(is_cancelled(P::kTimedOut));
}

TEST(ExecutionMachine, SaysWhatIsStored) {
  for (P phase : {P::kAwaiting, P::kRecalled, P::kRefused}) {
    EXPECT_EQ(stored_state(phase), ExecutionState::kAwaitingApproval);
  }
  EXPECT_EQ(stored_state(P::kQueued), ExecutionState::kQueued);
  EXPECT_EQ(stored_state(P::kWithdrawn), ExecutionState::kQueued);
  EXPECT_EQ(stored_state(P::kRunning), ExecutionState::kRunning);
  EXPECT_EQ(stored_state(P::kCancelling), ExecutionState::kRunning);
  EXPECT_EQ(stored_state(P::kTimedOut), ExecutionState::kRunning);
  EXPECT_EQ(stored_state(P::kStoring), std::nullopt);
  EXPECT_EQ(stored_state(P::kDone), std::nullopt);
}

}  // namespace
}  // namespace atl::model
