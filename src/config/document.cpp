#include "config/document.hpp"

#include <algorithm>
#include <map>

#include "base/try.hpp"
#include "codec/json.hpp"

namespace atl::config {
namespace {

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.' || c == '_';
}

class Reader {
 public:
  Reader(std::string_view text, const Origin& source) : text_(text), source_(source) {}

  std::expected<Element, Problem> document() {
    if (text_.size() > kMaxDocument) {
      return wrong("is larger than " + std::to_string(kMaxDocument) + " bytes", {0, 0});
    }
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
    ATOLL_CHECK(skip_blanks());
    ATOLL_TRY(Element root, element(0));
    ATOLL_CHECK(skip_blanks());
    if (!at_end()) return wrong("something follows after the end of the document");
    return root;
  }

 private:
  using Done = std::expected<void, Problem>;

  bool at_end() const { return next_ == text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return next_ + ahead < text_.size() ? text_[next_ + ahead] : '\0';
  }

  void advance() {
    char c = text_[next_++];
    if (c == '\n') {
      ++place_.line;
      place_.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {  // the first byte of a character
      ++place_.column;
    }
  }

  std::unexpected<Problem> wrong(std::string detail) const { return wrong(detail, place_); }
  std::unexpected<Problem> wrong(std::string detail, Place place) const {
    Origin origin = source_;
    origin.line = place.line;
    origin.column = place.column;
    return std::unexpected(Problem{.origin = std::move(origin), .detail = std::move(detail)});
  }

  Done skip_blanks() {
    for (;;) {
      char c = peek();
      if (!at_end() && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
        advance();
      } else if (c == '/' && peek(1) == '/') {
        while (!at_end() && peek() != '\n') advance();
      } else if (c == '/' && peek(1) == '*') {
        ATOLL_CHECK(skip_long_comment());
      } else {
        return {};
      }
    }
  }

  Done skip_long_comment() {
    Place start = place_;
    advance();
    advance();
    while (!(peek() == '*' && peek(1) == '/')) {
      if (at_end()) return wrong("a comment that begins here has no end", start);
      advance();
    }
    advance();
    advance();
    return {};
  }

  std::expected<Element, Problem> element(std::size_t depth) {
    if (++elements_ > kMaxElements) {
      return wrong("holds more than " + std::to_string(kMaxElements) + " values");
    }
    if (depth >= kMaxDepth) {
      return wrong("is nested more than " + std::to_string(kMaxDepth) + " levels deep");
    }
    if (at_end()) return wrong("a value is missing: the text ends here");
    if (peek() == '{') return object(depth);
    if (peek() == '[') return list(depth);
    Element out{.place = place_};
    ATOLL_TRY(out.scalar, peek() == '"' ? string() : word());
    return out;
  }

  std::expected<Element, Problem> object(std::size_t depth) {
    Element out{.kind = Element::Kind::kObject, .place = place_};
    std::map<std::string, std::uint32_t> seen;
    advance();
    for (;;) {
      ATOLL_CHECK(skip_blanks());
      if (peek() == '}') break;
      Member& member = out.members.emplace_back();
      member.place = place_;
      if (peek() != '"') return wrong(at_end() ? "a } is missing" : "a key in quotes must be here");
      ATOLL_TRY(boost::json::value key, string());
      member.key.assign(key.get_string().data(), key.get_string().size());
      auto [first, fresh] = seen.emplace(member.key, member.place.line);
      if (!fresh) {
        return wrong("this key stands in line " + std::to_string(first->second) + " already",
                     member.place);
      }
      ATOLL_CHECK(skip_blanks());
      if (peek() != ':') return wrong("a : is missing after the key");
      advance();
      ATOLL_CHECK(skip_blanks());
      ATOLL_TRY(member.value, element(depth + 1));
      ATOLL_CHECK(skip_blanks());
      if (peek() == '}') break;
      if (peek() != ',') return wrong(at_end() ? "a } is missing" : "a , or } is missing");
      advance();
    }
    advance();
    return out;
  }

  std::expected<Element, Problem> list(std::size_t depth) {
    Element out{.kind = Element::Kind::kList, .place = place_};
    advance();
    for (;;) {
      ATOLL_CHECK(skip_blanks());
      if (peek() == ']') break;
      ATOLL_TRY(Element item, element(depth + 1));
      out.items.push_back(std::move(item));
      ATOLL_CHECK(skip_blanks());
      if (peek() == ']') break;
      if (peek() != ',') return wrong(at_end() ? "a ] is missing" : "a , or ] is missing");
      advance();
    }
    advance();
    return out;
  }

  // Finds the end only; escapes and UTF-8 are the JSON library's business.
  std::expected<boost::json::value, Problem> string() {
    Place start = place_;
    std::size_t begin = next_;
    advance();
    while (peek() != '"') {
      if (at_end() || peek() == '\n') return wrong("a string that begins here has no end", start);
      if (peek() == '\\' && next_ + 1 < text_.size()) advance();
      advance();
    }
    advance();
    auto value = codec::parse(text_.substr(begin, next_ - begin), {.max_bytes = kMaxDocument});
    if (!value || !value->is_string()) {
      return wrong("this string holds an escape or a byte that JSON does not know", start);
    }
    return std::move(*value);
  }

  std::expected<boost::json::value, Problem> word() {
    Place start = place_;
    std::size_t begin = next_;
    while (is_word_character(peek())) advance();
    std::string_view word = text_.substr(begin, next_ - begin);
    if (word.empty()) return wrong("a value must be here");
    auto value = codec::parse(word, {.max_bytes = kMaxDocument});
    if (!value) return wrong("not a JSON value; put strings into double quotes", start);
    return std::move(*value);
  }

  std::string_view text_;
  const Origin& source_;
  std::size_t next_ = 0;
  std::size_t elements_ = 0;
  Place place_;
};

}  // namespace

std::expected<Element, Problem> read_document(std::string_view text, const Origin& source) {
  return Reader(text, source).document();
}

boost::json::value to_value(const Element& element) {
  if (element.kind == Element::Kind::kScalar) return element.scalar;
  if (element.kind == Element::Kind::kList) {
    boost::json::array array;
    for (const Element& item : element.items) array.push_back(to_value(item));
    return array;
  }
  boost::json::object object;
  for (const Member& member : element.members) {
    object.insert_or_assign(boost::json::string_view(member.key.data(), member.key.size()),
                            to_value(member.value));
  }
  return object;
}

}  // namespace atl::config
