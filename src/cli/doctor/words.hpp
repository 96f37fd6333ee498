// for (std::string_view word : Words("a b c")): the words of a constexpr list, without allocating.
#pragma once

#include <cstddef>
#include <string_view>

namespace atl::cli {

class Words {
 public:
  explicit constexpr Words(std::string_view text) : text_(text) {}

  class Iterator {
   public:
    constexpr Iterator(std::string_view rest, bool end) : rest_(rest), end_(end) {}
    constexpr std::string_view operator*() const { return rest_.substr(0, rest_.find(' ')); }
    constexpr Iterator& operator++() {
      std::size_t space = rest_.find(' ');
      end_ = space == std::string_view::npos;
      if (!end_) rest_.remove_prefix(space + 1);
      return *this;
    }
    constexpr bool operator!=(const Iterator& other) const { return end_ != other.end_; }

   private:
    std::string_view rest_;
    bool end_;
  };

  constexpr Iterator begin() const { return {text_, text_.empty()}; }
  constexpr Iterator end() const { return {{}, true}; }

 private:
  std::string_view text_;
};

}  // namespace atl::cli
