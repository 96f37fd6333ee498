// What the state machines of sessions and of executions share: a table of allowed transitions, and
// how far the store follows a row.
#pragma once

#include <optional>
#include <span>

#include <boost/describe/enum.hpp>

namespace atl::model {

template <typename State, typename Event>
struct Transition {
  State from;
  Event event;
  State to;
};

// Nothing: the event is not allowed in this state.
template <typename State, typename Event>
constexpr std::optional<State> next_in(std::span<const Transition<State, Event>> table, State from,
                                       Event event) {
  for (const Transition<State, Event>& one : table) {
    if (one.from == from && one.event == event) return one.to;
  }
  return std::nullopt;
}

// What the store has of a row that lives here. kLive and kEnd also while the write is on its way.
BOOST_DEFINE_ENUM_CLASS(RowInStore, kNone, kLive, kEnd)

}  // namespace atl::model
