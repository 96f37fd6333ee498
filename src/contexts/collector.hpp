// Gathers the events of one run into its result, up to a bound.
#pragma once

#include <cstdint>

#include "contexts/run.hpp"

namespace atl::contexts {

class Collector {
 public:
  // All bundles of a run together; there may be many small ones, so each counts a little more.
  static constexpr std::uint64_t kMaxShown = 32u << 20;
  static constexpr std::uint64_t kPerBundle = 512;

  explicit Collector(std::uint64_t max_output_bytes) : most_(max_output_bytes) {}

  void take(RunEvent event);
  RunResult& result() { return result_; }

 private:
  void keep_text(std::string& into, std::string_view bytes);
  void keep_bundle(bool is_result, Bundle bundle);

  std::uint64_t most_;
  std::uint64_t shown_ = 0;
  RunResult result_;
};

}  // namespace atl::contexts
