// Reads and writes the little-endian fields of guest-protocol payloads. A Reader that runs off the
// end or meets an absurd length turns bad and stays bad: decode everything, then ask ok() once.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace atl::guest {

class Writer {
 public:
  template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  Writer& number(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));  // every supported machine is little-endian
    out_.append(bytes, sizeof(T));
    return *this;
  }
  Writer& string(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    out_.append(text);
    return *this;
  }
  Writer& strings(std::span<const std::string> list) {
    number(static_cast<std::uint32_t>(list.size()));
    for (const std::string& text : list) string(text);
    return *this;
  }
  Writer& raw(std::string_view bytes) {
    out_.append(bytes);
    return *this;
  }
  const std::string& bytes() const& { return out_; }
  std::string bytes() && { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  T number() {
    T value{};
    if (!ok_ || rest_.size() < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  std::string_view view() {
    auto size = number<std::uint32_t>();
    if (!ok_ || rest_.size() < size) {
      ok_ = false;
      return {};
    }
    std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  std::string string() { return std::string(view()); }
  std::vector<std::string> strings() {
    std::vector<std::string> list;
    auto count = number<std::uint32_t>();
    // Each entry takes four bytes at least, so a count beyond that is a lie: do not reserve for it.
    if (!ok_ || count > rest_.size() / sizeof(std::uint32_t)) {
      ok_ = ok_ && count == 0;
      return list;
    }
    list.reserve(count);
    for (std::uint32_t i = 0; i < count && ok_; ++i) list.push_back(string());
    return list;
  }
  std::string_view rest() const { return rest_; }
  bool ok() const { return ok_; }
  // Everything was there and nothing is left over.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace atl::guest
