#include "codec/decode.hpp"

#include <algorithm>
#include <limits>

namespace atl::codec {

Error DecodeError::to_error() const {
  return Error(code, pointer.empty() ? "the document " + detail : "\"" + pointer + "\" " + detail);
}

std::string Where::pointer() const {
  if (parent_ == nullptr) return "";
  std::string text = parent_->pointer() + "/";
  if (is_index_) return text + std::to_string(index_);
  for (char letter : key_) {
    if (letter == '~')
      text += "~0";
    else if (letter == '/')
      text += "~1";
    else
      text += letter;
  }
  return text;
}

namespace detail {

namespace {

std::string between(std::int64_t least, std::uint64_t most) {
  return "must be between " + std::to_string(least) + " and " + std::to_string(most);
}

}  // namespace

std::expected<std::int64_t, DecodeError> signed_number(const boost::json::value& value,
                                                       const Where& where, std::int64_t least,
                                                       std::int64_t most) {
  std::optional<std::int64_t> number;
  if (const std::int64_t* whole = value.if_int64())
    number = *whole;
  else if (value.is_uint64())
    return where.refused(between(least, static_cast<std::uint64_t>(most)));
  else if (const double* real = value.if_double()) {
    // 3.0 is three; beyond 2^53 a double no longer says which number was meant.
    if (std::trunc(*real) == *real && std::abs(*real) < 9007199254740992.0)
      number = static_cast<std::int64_t>(*real);
  }
  if (!number) return where.wrong("must be a whole number");
  if (*number < least || *number > most)
    return where.refused(between(least, static_cast<std::uint64_t>(most)));
  return *number;
}

std::expected<std::uint64_t, DecodeError> unsigned_number(const boost::json::value& value,
                                                          const Where& where, std::uint64_t most) {
  std::uint64_t number = 0;
  if (const std::uint64_t* large = value.if_uint64()) {
    number = *large;
  } else {
    auto small = signed_number(value, where, std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max());
    if (!small) return std::unexpected(std::move(small).error());
    if (*small < 0) return where.refused(between(0, most));
    number = static_cast<std::uint64_t>(*small);
  }
  if (number > most) return where.refused(between(0, most));
  return number;
}

Decoded<double> real_number(const boost::json::value& value, const Where& where) {
  if (const double* real = value.if_double()) return *real;
  if (const std::int64_t* whole = value.if_int64()) return static_cast<double>(*whole);
  if (const std::uint64_t* whole = value.if_uint64()) return static_cast<double>(*whole);
  return where.wrong("must be a number");
}

Decoded<bool> boolean(const boost::json::value& value, const Where& where) {
  if (const bool* flag = value.if_bool()) return *flag;
  return where.wrong("must be true or false");
}

Decoded<std::string> string(const boost::json::value& value, const Where& where) {
  if (const boost::json::string* text = value.if_string())
    return std::string(text->data(), text->size());
  return where.wrong("must be a string");
}

Decoded<const boost::json::array*> array(const boost::json::value& value, const Where& where) {
  if (const boost::json::array* items = value.if_array()) return items;
  return where.wrong("must be a list");
}

Decoded<const boost::json::object*> object(const boost::json::value& value, const Where& where) {
  if (const boost::json::object* members = value.if_object()) return members;
  return where.wrong("must be an object");
}

const boost::json::value* find(const boost::json::object& object, std::string_view key) {
  return object.if_contains(boost::json::string_view(key.data(), key.size()));
}

std::optional<DecodeError> unknown_member(const boost::json::object& object, const Where& where,
                                          const std::vector<std::string>& known) {
  for (const auto& member : object) {
    std::string_view key(member.key().data(), member.key().size());
    if (std::ranges::find(known, key) == known.end())
      return Where(where, key).wrong("is unknown").error();
  }
  return std::nullopt;
}

std::string choices(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace detail

}  // namespace atl::codec
