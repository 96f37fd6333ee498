// One line on the terminal that says how far an import is. Nothing at all when stderr is none.
#pragma once

#include <cstdint>
#include <string>

namespace atl::cli {

// "importing [######------]  60%  120m of 200m"; without a total, only the bytes.
std::string progress_line(std::uint64_t done, std::uint64_t total, std::size_t width);

class ImageProgress {
 public:
  explicit ImageProgress(bool wanted);
  void show(std::uint64_t done, std::uint64_t total);
  void clear();

 private:
  bool active_;
  bool shown_ = false;
};

}  // namespace atl::cli
