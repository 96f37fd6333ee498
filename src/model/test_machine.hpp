// For tests of state machines: all pairs of a state and an event against what a test says.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <gtest/gtest.h>

#include "model/machine.hpp"

namespace atl::model::test {

template <typename Enum>
std::vector<std::pair<Enum, std::string>> all_of() {
  std::vector<std::pair<Enum, std::string>> values;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Enum>>(
      [&](auto one) { values.emplace_back(one.value, one.name); });
  return values;
}

template <typename State, typename Event>
using Allowed = std::map<std::pair<State, Event>, State>;

// Every pair: the new state that `allowed` has for it, or a refusal.
template <typename State, typename Event>
void expect_pairs(const Allowed<State, Event>& allowed) {
  std::size_t taken = 0;
  for (const auto& [from, from_name] : all_of<State>()) {
    for (const auto& [event, event_name] : all_of<Event>()) {
      SCOPED_TRACE(from_name + " + " + event_name);
      std::optional<State> next = next_phase(from, event);
      auto expected = allowed.find({from, event});
      ASSERT_EQ(next.has_value(), expected != allowed.end());
      if (!next) continue;
      EXPECT_EQ(*next, expected->second);
      ++taken;
    }
  }
  EXPECT_EQ(taken, allowed.size());
}

// Where events can lead to.
template <typename State, typename Event>
std::set<State> reachable_from(State start) {
  std::set<State> seen{start};
  std::vector<State> open{start};
  while (!open.empty()) {
    State from = open.back();
    open.pop_back();
    for (const auto& [event, name] : all_of<Event>()) {
      std::optional<State> next = next_phase(from, event);
      if (next && seen.insert(*next).second) open.push_back(*next);
    }
  }
  return seen;
}

// A table with two rows for one pair would hide the second.
template <typename State, typename Event>
void expect_unambiguous(std::span<const Transition<State, Event>> table) {
  std::set<std::pair<State, Event>> pairs;
  for (const Transition<State, Event>& one : table) {
    EXPECT_TRUE(pairs.insert({one.from, one.event}).second);
  }
}

}  // namespace atl::model::test
