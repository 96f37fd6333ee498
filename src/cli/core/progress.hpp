// One line on the terminal that says how far something is. Nothing at all when stderr is none, and
// nothing for what is over soon.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/clock.hpp"

namespace atl::cli {

// "importing  [######------]   60%  120m of 200m"; without a total, only the bytes.
std::string progress_line(std::string_view what, std::uint64_t done, std::uint64_t total,
                          std::size_t width);

class Progress {
 public:
  // `what` is a few words: "importing". The clock outlives it.
  Progress(std::string what, bool wanted, const Clock& clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void show(std::uint64_t done, std::uint64_t total);
  void clear();
  // Whether show() would draw now: not in the first moment, then some times a second.
  bool is_due() const;

 private:
  std::string what_;
  bool active_;
  const Clock& clock_;
  std::chrono::steady_clock::time_point next_;
  bool shown_ = false;
};

}  // namespace atl::cli
