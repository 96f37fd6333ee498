#include "api/e2b/protobuf.hpp"

#include <cstdint>
#include <optional>

#include <boost/json/array.hpp>

#include "api/common/text.hpp"
#include "base/utf8.hpp"
#include "codec/base64.hpp"

namespace atl::api::e2b {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxFields = 100'000;

enum Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

std::unexpected<Error> malformed(const char* what) {
  return fail(Code::kInvalidArgument, std::string("malformed protobuf: ") + what);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }

  Result<std::uint64_t> varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return malformed("a number is cut");
      auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) return malformed("a number is longer than 64 bits");
      number |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return number;
    }
    return malformed("a number is longer than ten bytes");
  }

  Result<std::string_view> bytes(std::uint64_t size) {
    if (size > rest_.size()) return malformed("a field is longer than its message");
    std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

  Result<void> skip(std::uint8_t wire) {
    std::uint64_t size = 0;
    if (wire == kVarint) {
      ATOLL_CHECK(varint());
    } else if (wire == kFixed64 || wire == kFixed32) {
      size = wire == kFixed64 ? 8 : 4;
    } else if (wire == kLength) {
      ATOLL_TRY(size, varint());
    } else {
      return malformed("an unknown wire type");
    }
    ATOLL_CHECK(bytes(size));
    return {};
  }

 private:
  std::string_view rest_;
};

struct Budget {
  std::size_t fields = kMaxFields;
};

std::uint8_t wire_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
    case FieldKind::kUint32:
    case FieldKind::kInt64:
    case FieldKind::kSint32:
    case FieldKind::kEnum: return kVarint;
    case FieldKind::kString:
    case FieldKind::kBytes:
    case FieldKind::kMessage:
    case FieldKind::kStringMap:
    case FieldKind::kTimestamp: return kLength;
  }
  return kLength;
}

const FieldType* find(const MessageType& type, std::uint64_t number) {
  for (const FieldType& field : type.fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

value json_text_of(std::string_view text) { return boost::json::string(text.data(), text.size()); }

value number_of(const FieldType& field, std::uint64_t number) {
  switch (field.kind) {
    case FieldKind::kBool: return number != 0;
    case FieldKind::kUint32: return static_cast<std::uint32_t>(number);
    case FieldKind::kInt64: return json_text_of(std::to_string(static_cast<std::int64_t>(number)));
    case FieldKind::kSint32: {
      auto low = static_cast<std::uint32_t>(number);
      return static_cast<std::int32_t>((low >> 1) ^ (0 - (low & 1)));
    }
    default: break;
  }
  for (const EnumValue& one : field.values) {
    if (one.number == number) return json_text_of(one.name);
  }
  return static_cast<std::uint32_t>(number);
}

Result<object> read(const MessageType& type, std::string_view bytes, int depth, Budget& budget);

// An entry of a map is a message of its own: key = 1, value = 2.
Result<void> read_entry(std::string_view bytes, object& map) {
  Reader reader(bytes);
  std::string_view key, text;
  while (!reader.done()) {
    ATOLL_TRY(std::uint64_t tag, reader.varint());
    if (tag != (1 << 3 | kLength) && tag != (2 << 3 | kLength)) {
      ATOLL_CHECK(reader.skip(tag & 7));
      continue;
    }
    ATOLL_TRY(std::uint64_t size, reader.varint());
    ATOLL_TRY((tag >> 3 == 1 ? key : text), reader.bytes(size));
  }
  if (!is_utf8(key) || !is_utf8(text)) return malformed("a string is not UTF-8");
  map[key] = json_text_of(text);
  return {};
}

Result<value> read_timestamp(std::string_view bytes) {
  Reader reader(bytes);
  std::int64_t seconds = 0;
  while (!reader.done()) {
    ATOLL_TRY(std::uint64_t tag, reader.varint());
    if (tag != (1 << 3 | kVarint)) {
      ATOLL_CHECK(reader.skip(tag & 7));
      continue;
    }
    ATOLL_TRY(std::uint64_t number, reader.varint());
    seconds = static_cast<std::int64_t>(number);
  }
  constexpr std::int64_t kMost = 253402300799;  // the last second of the year 9999
  if (seconds < 0 || seconds > kMost) return malformed("a time is out of range");
  return value(json_text_of(rfc3339(model::Time(std::chrono::seconds(seconds)))));
}

Result<value> read_length(const FieldType& field, std::string_view bytes, int depth,
                          Budget& budget) {
  switch (field.kind) {
    case FieldKind::kBytes: return json_text_of(codec::base64(bytes));
    case FieldKind::kTimestamp: return read_timestamp(bytes);
    case FieldKind::kMessage: {
      ATOLL_TRY(object inner, read(*field.message, bytes, depth + 1, budget));
      return inner;
    }
    default: break;
  }
  if (!is_utf8(bytes)) return malformed("a string is not UTF-8");
  return json_text_of(bytes);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
Result<object> read(const MessageType& type, std::string_view bytes, int depth, Budget& budget) {
  if (depth > kMaxDepth) return malformed("messages are nested too deep");
  object message;
  Reader reader(bytes);
  while (!reader.done()) {
    if (budget.fields-- == 0) return malformed("too many fields");
    ATOLL_TRY(std::uint64_t tag, reader.varint());
    std::uint8_t wire = tag & 7;
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return malformed("a field has no legal number");
    const FieldType* field = find(type, tag >> 3);
    if (field == nullptr || wire != wire_of(field->kind)) {
      ATOLL_CHECK(reader.skip(wire));
      continue;
    }
    ATOLL_TRY(std::uint64_t number, reader.varint());
    if (wire == kVarint) {
      message[field->name] = number_of(*field, number);
      continue;
    }
    ATOLL_TRY(std::string_view content, reader.bytes(number));
    if (field->kind == FieldKind::kStringMap) {
      value& map = message[field->name];
      if (!map.is_object()) map.emplace_object();
      ATOLL_CHECK(read_entry(content, map.get_object()));
      continue;
    }
    ATOLL_TRY(value one, read_length(*field, content, depth, budget));
    if (field->repeated) {
      value& list = message[field->name];
      if (!list.is_array()) list.emplace_array();
      list.get_array().push_back(std::move(one));
    } else {
      message[field->name] = std::move(one);
    }
  }
  return message;
}

void put_varint(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

void put_bytes(std::string& out, std::uint32_t number, std::string_view bytes) {
  put_varint(out, std::uint64_t{number} << 3 | kLength);
  put_varint(out, bytes.size());
  out += bytes;
}

std::string_view text_of(const value& one) {
  const boost::json::string* text = one.if_string();
  return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

std::uint64_t integer_of(const FieldType& field, const value& one) {
  if (const bool* flag = one.if_bool()) return *flag ? 1 : 0;
  if (const boost::json::string* name = one.if_string()) {
    for (const EnumValue& each : field.values) {
      if (each.name == std::string_view(name->data(), name->size())) return each.number;
    }
    return to_number(text_of(one)).value_or(0);
  }
  if (const std::uint64_t* number = one.if_uint64()) return *number;
  const std::int64_t* number = one.if_int64();
  if (number == nullptr) return 0;
  if (field.kind != FieldKind::kSint32) return static_cast<std::uint64_t>(*number);
  auto wide = static_cast<std::uint64_t>(*number);
  return static_cast<std::uint32_t>((wide << 1) ^ (*number < 0 ? ~std::uint64_t{0} : 0));
}

std::string timestamp_of(std::string_view text) {
  std::string out;
  std::optional<model::Time> time = from_rfc3339(text);
  if (!time) return out;
  std::int64_t all = time->time_since_epoch().count();
  if (all < 0) return out;
  put_varint(out, 1 << 3 | kVarint);
  put_varint(out, static_cast<std::uint64_t>(all) / 1000);
  put_varint(out, 2 << 3 | kVarint);
  put_varint(out, static_cast<std::uint64_t>(all) % 1000 * 1'000'000);
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the type
void put_one(std::string& out, const FieldType& field, const value& one) {
  switch (field.kind) {
    case FieldKind::kString: return put_bytes(out, field.number, text_of(one));
    case FieldKind::kBytes:
      return put_bytes(out, field.number, codec::from_base64(text_of(one)).value_or(""));
    case FieldKind::kTimestamp: return put_bytes(out, field.number, timestamp_of(text_of(one)));
    case FieldKind::kMessage:
      if (const object* inner = one.if_object()) {
        put_bytes(out, field.number, to_protobuf(*field.message, *inner));
      }
      return;
    case FieldKind::kStringMap:
      if (const object* map = one.if_object()) {
        for (const auto& [key, text] : *map) {
          std::string entry;
          put_bytes(entry, 1, key);
          put_bytes(entry, 2, text_of(text));
          put_bytes(out, field.number, entry);
        }
      }
      return;
    default: break;
  }
  put_varint(out, std::uint64_t{field.number} << 3 | kVarint);
  put_varint(out, integer_of(field, one));
}

}  // namespace

Result<object> from_protobuf(const MessageType& type, std::string_view bytes) {
  Budget budget;
  return read(type, bytes, 0, budget);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the type
std::string to_protobuf(const MessageType& type, const object& message) {
  std::string out;
  for (const FieldType& field : type.fields) {
    const value* found = message.if_contains(field.name);
    if (found == nullptr || found->is_null()) continue;
    const array* list = field.repeated ? found->if_array() : nullptr;
    if (list == nullptr) {
      put_one(out, field, *found);
    } else {
      for (const value& one : *list) put_one(out, field, one);
    }
  }
  return out;
}

}  // namespace atl::api::e2b
