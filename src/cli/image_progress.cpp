#include "cli/image_progress.hpp"

#include <unistd.h>

#include <algorithm>

#include "cli/console.hpp"
#include "cli/units.hpp"

namespace atl::cli {

std::string progress_line(std::uint64_t done, std::uint64_t total, std::size_t width) {
  if (total == 0) return "importing  " + format_size(done);
  done = std::min(done, total);
  auto share =
      static_cast<std::size_t>(static_cast<double>(done) * 100 / static_cast<double>(total));
  std::string percent = std::to_string(share);
  percent.insert(0, 3 - std::min<std::size_t>(3, percent.size()), ' ');
  std::string tail = "]  " + percent + "%  " + format_size(done) + " of " + format_size(total);
  std::string line = "importing  [";
  std::size_t bar =
      width > line.size() + tail.size() + 11 ? width - line.size() - tail.size() - 1 : 10;
  std::size_t filled = bar * share / 100;
  line.append(filled, '#').append(bar - filled, '-');
  return line + tail;
}

ImageProgress::ImageProgress(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) == 1) {}

void ImageProgress::show(std::uint64_t done, std::uint64_t total) {
  if (!active_) return;
  shown_ = true;
  std::size_t width = std::min<std::size_t>(text_width(STDERR_FILENO), 80);
  write_all(STDERR_FILENO, "\r" + progress_line(done, total, width) + "\x1b[K");
}

void ImageProgress::clear() {
  if (shown_) write_all(STDERR_FILENO, "\r\x1b[K");
  shown_ = false;
}

}  // namespace atl::cli
