#include "cli/core/json.hpp"

#include "cli/core/bytes.hpp"

namespace atl::cli {
namespace {

void append_escaped(std::string& out, std::string_view valid_utf8) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (char c : valid_utf8) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += "\\u00";
          out += kHex[static_cast<unsigned char>(c) >> 4];
          out += kHex[static_cast<unsigned char>(c) & 15];
        } else {
          out += c;
        }
    }
  }
}

}  // namespace

void JsonWriter::new_line() {
  if (!pretty_) return;
  out_ += '\n';
  out_.append(filled_.size() * 2, ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (filled_.empty()) return;
  if (filled_.back()) out_ += ',';
  filled_.back() = true;
  new_line();
}

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  filled_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  bool filled = filled_.back();
  filled_.pop_back();
  if (filled) new_line();
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += pretty_ ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  before_value();
  out_ += '"';
  if (is_utf8(value)) {
    append_escaped(out_, value);
  } else {
    append_escaped(out_, to_utf8(value));
  }
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view literal) {
  before_value();
  out_ += literal;
  return *this;
}

JsonWriter& JsonWriter::number(std::int64_t value) { return raw(std::to_string(value)); }
JsonWriter& JsonWriter::unsigned_number(std::uint64_t value) { return raw(std::to_string(value)); }
JsonWriter& JsonWriter::boolean(bool value) { return raw(value ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::thousandths(std::int64_t value) {
  std::uint64_t size =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::string text = (value < 0 ? "-" : "") + std::to_string(size / 1000);
  if (size % 1000 != 0) {
    text += '.' + std::to_string(1000 + size % 1000).substr(1);
    while (text.back() == '0') text.pop_back();
  }
  return raw(text);
}

JsonWriter& JsonWriter::strings(std::span<const std::string> values) {
  begin_array();
  for (const std::string& value : values) text(value);
  return end_array();
}

std::string JsonWriter::finish() && {
  out_ += '\n';
  return std::move(out_);
}

}  // namespace atl::cli
