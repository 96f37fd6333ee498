// A short text on the stack, a name or a line of options: safe between clone and exec.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string_view>

namespace atl::confine {

class Text {
 public:
  [[gnu::format(printf, 2, 3)]] explicit Text(const char* format, ...) {
    va_list values;
    va_start(values, format);
    std::vsnprintf(text_, sizeof text_, format, values);
    va_end(values);
  }
  const char* c_str() const { return text_; }
  operator std::string_view() const { return text_; }

 private:
  char text_[192];
};

}  // namespace atl::confine
