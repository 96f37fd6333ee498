#include "contexts/json_object.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>

namespace atl::contexts {

namespace {

namespace json = boost::json;

// Wants to know only whether the text is JSON.
struct NoHandler {
  // The names are Boost's.
  // NOLINTBEGIN(readability-identifier-naming)
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  // NOLINTEND(readability-identifier-naming)
  using Ec = json::error_code;
  using Text = json::string_view;
  bool on_document_begin(Ec&) { return true; }
  bool on_document_end(Ec&) { return true; }
  bool on_object_begin(Ec&) { return true; }
  bool on_object_end(std::size_t, Ec&) { return true; }
  bool on_array_begin(Ec&) { return true; }
  bool on_array_end(std::size_t, Ec&) { return true; }
  bool on_key_part(Text, std::size_t, Ec&) { return true; }
  bool on_key(Text, std::size_t, Ec&) { return true; }
  bool on_string_part(Text, std::size_t, Ec&) { return true; }
  bool on_string(Text, std::size_t, Ec&) { return true; }
  bool on_number_part(Text, Ec&) { return true; }
  bool on_int64(std::int64_t, Text, Ec&) { return true; }
  bool on_uint64(std::uint64_t, Text, Ec&) { return true; }
  bool on_double(double, Text, Ec&) { return true; }
  bool on_bool(bool, Ec&) { return true; }
  bool on_null(Ec&) { return true; }
  bool on_comment_part(Text, Ec&) { return true; }
  bool on_comment(Text, Ec&) { return true; }
};

Result<void> check(std::string_view text) {
  json::parse_options options;
  options.max_depth = JsonObject::kMaxDepth;
  json::basic_parser<NoHandler> parser(options);
  json::error_code error;
  std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (error == json::error::too_deep) return fail(Code::kInvalidArgument, "is nested too deeply");
  if (error || read != text.size()) return fail(Code::kInvalidArgument, "is not JSON");
  return {};
}

// Walks over text that is known to be JSON.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  char skip_space() {
    at_ = text_.find_first_not_of(" \t\r\n", at_);
    if (at_ == std::string_view::npos) at_ = text_.size();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void step() { ++at_; }
  std::size_t at() const { return at_; }

  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }
  void value() {
    int depth = 0;
    do {
      char next = skip_space();
      if (next == '"') {
        string();
        continue;
      }
      if (next == '{' || next == '[') ++depth;
      if (next == '}' || next == ']') --depth;
      bool bracket = next == '{' || next == '[' || next == '}' || next == ']';
      if (bracket || next == ',' || next == ':') {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(",:]} \t\r\n", at_), text_.size());
      }
    } while (depth > 0 && at_ < text_.size());
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// `slice` is a JSON string with its quotes.
std::string decoded(std::string_view slice) {
  std::string_view inside = slice.substr(1, slice.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  json::error_code error;
  json::value value = json::parse(json::string_view(slice.data(), slice.size()), error);
  if (error || !value.is_string()) return {};
  return {value.get_string().data(), value.get_string().size()};
}

}  // namespace

Result<JsonObject> JsonObject::parse(std::string text) {
  ATOLL_CHECK(check(text));
  JsonObject object;
  object.text_ = std::move(text);
  std::string_view whole = object.text_;
  Walker walker(whole);
  if (walker.skip_space() != '{') return fail(Code::kInvalidArgument, "is not an object");
  walker.step();
  while (walker.skip_space() == '"') {
    if (object.members_.size() == kMaxMembers) {
      return fail(Code::kInvalidArgument, "has too many members");
    }
    Member& member = object.members_.emplace_back();
    std::size_t begin = walker.at();
    walker.string();
    if (walker.at() - begin > kMaxKey) return fail(Code::kInvalidArgument, "has too long a name");
    member.key = decoded(whole.substr(begin, walker.at() - begin));
    walker.skip_space();  // ':'
    walker.step();
    walker.skip_space();
    member.begin = walker.at();
    walker.value();
    member.size = walker.at() - member.begin;
    if (walker.skip_space() == ',') walker.step();
  }
  return object;
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> keys;
  for (const Member& member : members_) keys.push_back(member.key);
  return keys;
}

std::optional<std::string_view> JsonObject::raw(std::string_view key) const {
  for (const Member& member : members_) {
    if (member.key == key) return std::string_view(text_).substr(member.begin, member.size);
  }
  return std::nullopt;
}

std::optional<std::string> JsonObject::string(std::string_view key) const {
  std::optional<std::string_view> slice = raw(key);
  if (!slice || !slice->starts_with('"')) return std::nullopt;
  return decoded(*slice);
}

std::optional<std::int64_t> JsonObject::integer(std::string_view key) const {
  std::optional<std::string_view> slice = raw(key);
  if (!slice) return std::nullopt;
  std::int64_t number = 0;
  auto [end, error] = std::from_chars(slice->data(), slice->data() + slice->size(), number);
  if (error != std::errc() || end != slice->data() + slice->size()) return std::nullopt;
  return number;
}

}  // namespace atl::contexts
