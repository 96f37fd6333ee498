// Writes JSON text: nothing else is needed on the way to a sandbox, and a library would cost
// start-up time. Keys and values must come in a legal order; the writer adds commas, escapes and
// indentation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::cli {

class JsonWriter {
 public:
  explicit JsonWriter(bool pretty) : pretty_(pretty) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  // Bytes that are not UTF-8 become U+FFFD.
  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::int64_t value);
  JsonWriter& unsigned_number(std::uint64_t value);
  // value / 1000 with three decimals at most: microseconds written as milliseconds.
  JsonWriter& thousandths(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  JsonWriter& strings(std::span<const std::string> values);
  // A value that is JSON already.
  JsonWriter& json(std::string_view value) { return raw(value); }

  // The document and a newline.
  std::string finish() &&;

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void before_value();
  void new_line();
  JsonWriter& raw(std::string_view literal);

  bool pretty_;
  bool after_key_ = false;
  std::vector<bool> filled_;  // per open bracket: something stands in it
  std::string out_;
};

}  // namespace atl::cli
