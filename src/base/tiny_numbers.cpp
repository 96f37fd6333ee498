// Numbers as text, for the static programs that write any (tiny_runtime.cpp).
#include <charconv>
#include <string>

_LIBCPP_BEGIN_NAMESPACE_STD

namespace {
template <typename T>
string decimal(T value) {
  char text[24];
  return string(text, to_chars(text, text + sizeof text, value).ptr);
}
}  // namespace

string to_string(int value) { return decimal(value); }
string to_string(unsigned value) { return decimal(value); }
string to_string(long value) { return decimal(value); }
string to_string(unsigned long value) { return decimal(value); }

_LIBCPP_END_NAMESPACE_STD
