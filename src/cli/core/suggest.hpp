// "Did you mean …?": remembers the offered word that is nearest to what was typed.
#pragma once

#include <cstddef>
#include <string_view>

namespace atl::cli {

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`; words longer
// than 32 characters count as far apart.
std::size_t edit_distance(std::string_view a, std::string_view b);

class Suggestion {
 public:
  explicit Suggestion(std::string_view typed) : typed_(typed), best_(limit(typed) + 1) {}

  void offer(std::string_view word) {
    std::size_t distance =
        word.starts_with(typed_) && typed_.size() >= 3 ? 1 : edit_distance(typed_, word);
    if (distance < best_) {
      best_ = distance;
      word_ = word;
    }
  }
  bool empty() const { return word_.empty(); }
  std::string_view word() const { return word_; }

 private:
  // One slip in a short word, about one in three characters of a long one.
  static std::size_t limit(std::string_view typed) {
    return typed.size() < 4 ? 1 : typed.size() / 3 + 1;
  }

  std::string_view typed_;
  std::size_t best_;
  std::string_view word_;
};

}  // namespace atl::cli
