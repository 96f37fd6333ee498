#include "cli/core/progress.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/write_all.hpp"
#include "cli/core/console.hpp"
#include "cli/core/help.hpp"
#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

constexpr std::chrono::milliseconds kFirst{300};
constexpr std::chrono::milliseconds kNext{100};

}  // namespace

std::string progress_line(std::string_view what, std::uint64_t done, std::uint64_t total,
                          std::size_t width) {
  std::string line(what);
  line += "  ";
  if (total == 0) return line + format_size(done);
  done = std::min(done, total);
  auto share =
      static_cast<std::size_t>(static_cast<double>(done) * 100 / static_cast<double>(total));
  std::string percent = std::to_string(share);
  percent.insert(0, 3 - std::min<std::size_t>(3, percent.size()), ' ');
  std::string tail = "]  " + percent + "%  " + format_size(done) + " of " + format_size(total);
  line += '[';
  std::size_t used = columns(line) + tail.size() + 1;
  std::size_t bar = width > used + 10 ? width - used : 10;
  std::size_t filled = bar * share / 100;
  line.append(filled, '#').append(bar - filled, '-');
  return line + tail;
}

Progress::Progress(std::string what, bool wanted, const Clock& clock)
    : what_(std::move(what)),
      active_(wanted && ::isatty(STDERR_FILENO) == 1),
      clock_(clock),
      next_(clock.steady() + kFirst) {}

bool Progress::is_due() const { return clock_.steady() >= next_; }

void Progress::show(std::uint64_t done, std::uint64_t total) {
  if (!active_ || !is_due()) return;
  next_ = clock_.steady() + kNext;
  shown_ = true;
  std::size_t width = std::min<std::size_t>(text_width(STDERR_FILENO), 80);
  write_all(STDERR_FILENO, "\r" + progress_line(what_, done, total, width) + "\x1b[K");
}

void Progress::clear() {
  if (shown_) write_all(STDERR_FILENO, "\r\x1b[K");
  shown_ = false;
}

}  // namespace atl::cli
