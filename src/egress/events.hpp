// Refusals on their way to the client: equal ones become one with a count, and there is room for so
// many. Kept while no client is connected. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "egress/protocol.hpp"

namespace atl::egress {

class Events {
 public:
  static constexpr std::size_t kMax = 1024;
  static constexpr std::size_t kMaxOfSandbox = 256;  // a noisy one leaves room for others

  void add(Refusal refusal);
  bool empty() const { return waiting_.empty() && dropped_ == 0; }
  // In the order in which they came; empty afterwards.
  Reply take();

 private:
  using Key = std::tuple<std::string, std::string, std::uint16_t, Reason>;

  std::vector<Refusal> waiting_;
  std::map<Key, std::size_t> places_;
  std::map<std::string, std::size_t> of_sandbox_;
  std::uint64_t dropped_ = 0;
};

}  // namespace atl::egress
