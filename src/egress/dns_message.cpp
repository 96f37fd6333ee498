#include "egress/dns_message.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "egress/host_name.hpp"

namespace atl::egress::dns {

namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kMaxName = 255;     // with the lengths of its labels
constexpr std::size_t kMaxRecords = 256;  // looked at in one reply
constexpr std::uint16_t kResponse = 0x8000, kOpcode = 0x7800, kTruncated = 0x0200;
constexpr std::uint16_t kRecursionDesired = 0x0100, kRecursionAvailable = 0x0080;
constexpr std::uint16_t kInternet = 1;

// After the first error all later reads fail.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::size_t at() const { return at_; }
  void seek(std::size_t at) { at_ = at; }

  std::uint8_t u8() {
    if (at_ >= bytes_.size()) ok_ = false;
    return ok_ ? static_cast<std::uint8_t>(bytes_[at_++]) : 0;
  }
  std::uint16_t u16() {
    std::uint16_t high = u8();
    return static_cast<std::uint16_t>(high << 8 | u8());
  }
  std::uint32_t u32() {
    std::uint32_t high = u16();
    return high << 16 | u16();
  }
  std::string_view take(std::size_t size) {
    if (!ok_ || size > bytes_.size() - at_) ok_ = false;
    if (!ok_) return {};
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  // The labels of a name, joined by dots. A pointer must lead backwards, so that none is followed
  // twice. A label with a dot in it, which no host has, becomes "?".
  std::string name(bool may_point) {
    std::string text;
    std::size_t size = 0, lowest = at_, after = 0;
    for (;;) {
      std::uint8_t length = u8();
      if (!ok_ || length == 0) break;
      if ((length & 0xc0) == 0xc0) {
        std::size_t target = (length & 0x3fu) << 8;
        target |= u8();
        if (!may_point || target >= lowest) ok_ = false;
        if (!ok_) break;
        if (after == 0) after = at_;
        lowest = at_ = target;
        continue;
      }
      std::string_view label = take(length);
      size += 1 + length;
      if (length > 63 || size > kMaxName) ok_ = false;
      if (!ok_) break;
      if (!text.empty()) text += '.';
      text += label.find('.') == label.npos ? label : "?";
    }
    if (after != 0) at_ = after;
    return text;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

void put16(std::string& into, std::uint16_t value) {
  into += static_cast<char>(value >> 8);
  into += static_cast<char>(value);
}

void put32(std::string& into, std::uint32_t value) {
  put16(into, static_cast<std::uint16_t>(value >> 16));
  put16(into, static_cast<std::uint16_t>(value));
}

void put_name(std::string& into, std::string_view name) {
  while (!name.empty()) {
    std::size_t end = std::min(name.find('.'), name.size());
    into += static_cast<char>(end);
    into += name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  into += '\0';
}

struct Counts {
  std::uint16_t questions = 0, answers = 0;
};

void put_header(std::string& into, std::uint16_t id, std::uint16_t flags, Counts counts) {
  put16(into, id);
  put16(into, flags);
  put16(into, counts.questions);
  put16(into, counts.answers);
  put32(into, 0);  // authority and additional
}

std::string answer(const Query& query, Status status, Type type, std::string_view data,
                   std::uint32_t ttl) {
  std::string bytes;
  auto flags = static_cast<std::uint16_t>(kResponse | kRecursionAvailable |
                                          static_cast<std::uint16_t>(status));
  if (query.recursion_desired) flags |= kRecursionDesired;
  std::uint16_t answers = data.empty() ? 0 : 1;
  put_header(bytes, query.id, flags, {.questions = 1, .answers = answers});
  bytes += query.question;
  if (data.empty()) return bytes;
  put16(bytes, 0xc000 | kHeader);  // the name of the question
  put16(bytes, static_cast<std::uint16_t>(type));
  put16(bytes, kInternet);
  put32(bytes, ttl);
  put16(bytes, static_cast<std::uint16_t>(data.size()));
  bytes += data;
  return bytes;
}

struct Record {
  std::string owner;
  std::uint16_t type = 0, category = 0;
  std::uint32_t ttl = 0;
  std::string_view data;
  std::size_t data_at = 0;
};

Record read_record(Reader& reader) {
  Record record{.owner = canonical_name(reader.name(true)).value_or("")};
  record.type = reader.u16();
  record.category = reader.u16();
  record.ttl = reader.u32();
  std::uint16_t size = reader.u16();
  record.data_at = reader.at();
  record.data = reader.take(size);
  return record;
}

std::optional<Address> address_of(const Record& record) {
  if (record.type == static_cast<std::uint16_t>(Type::kA) && record.data.size() == 4) {
    std::uint32_t number = 0;
    for (char byte : record.data) number = number << 8 | static_cast<std::uint8_t>(byte);
    return Address::v4(number);
  }
  if (record.type == static_cast<std::uint16_t>(Type::kAaaa) && record.data.size() == 16) {
    Address address;
    std::ranges::copy(record.data, reinterpret_cast<char*>(address.bytes.data()));
    return address;
  }
  return std::nullopt;
}

}  // namespace

ReadQuery read_query(std::string_view bytes) {
  Reader reader(bytes);
  Query query{.id = reader.u16()};
  std::uint16_t flags = reader.u16();
  std::uint16_t questions = reader.u16();
  std::uint16_t answers = reader.u16();
  reader.u32();
  if (!reader.ok() || (flags & kResponse) != 0) return {};  // nothing to answer to
  query.recursion_desired = (flags & kRecursionDesired) != 0;
  std::size_t begin = reader.at();
  std::string name = reader.name(false);
  query.type = reader.u16();
  std::uint16_t category = reader.u16();
  bool readable = reader.ok() && (flags & kOpcode) == 0 && questions == 1 && answers == 0 &&
                  category == kInternet;
  if (!readable) {
    std::string refusal;
    auto error = static_cast<std::uint16_t>(kResponse | static_cast<int>(Status::kFormError));
    put_header(refusal, query.id, error, {});
    return {.query = std::nullopt, .refusal = std::move(refusal)};
  }
  query.name = canonical_name(name).value_or("");
  query.question = bytes.substr(begin, reader.at() - begin);
  return {.query = std::move(query), .refusal = {}};
}

std::string answer_address(const Query& query, const Address& v4, std::uint32_t ttl) {
  std::string data;
  put32(data, v4.as_v4());
  return answer(query, Status::kOk, Type::kA, data, ttl);
}

std::string answer_name(const Query& query, std::string_view name, std::uint32_t ttl) {
  std::string data;
  put_name(data, name);
  return answer(query, Status::kOk, Type::kPtr, data, ttl);
}

std::string answer_nothing(const Query& query, Status status) {
  return answer(query, status, Type::kA, {}, 0);
}

std::optional<Address> address_in(std::string_view reverse_name) {
  constexpr std::string_view kEnd = ".in-addr.arpa";
  if (!reverse_name.ends_with(kEnd)) return std::nullopt;
  reverse_name.remove_suffix(kEnd.size());
  std::string forward;
  for (int part = 0; part < 4; ++part) {
    std::size_t dot = reverse_name.rfind('.');
    bool last = part == 3;
    if ((dot == reverse_name.npos) != last) return std::nullopt;
    if (part > 0) forward += '.';
    forward += last ? reverse_name : reverse_name.substr(dot + 1);
    if (!last) reverse_name.remove_suffix(reverse_name.size() - dot);
  }
  return Address::parse(forward);
}

std::string make_query(std::uint16_t id, std::string_view name, Type type) {
  std::string bytes;
  put_header(bytes, id, kRecursionDesired, {.questions = 1});
  put_name(bytes, name);
  put16(bytes, static_cast<std::uint16_t>(type));
  put16(bytes, kInternet);
  return bytes;
}

std::optional<Reply> read_reply(std::string_view bytes, std::uint16_t id, std::string_view name,
                                Type type) {
  Reader reader(bytes);
  bool same_id = reader.u16() == id;
  std::uint16_t flags = reader.u16();
  std::uint16_t questions = reader.u16();
  std::uint16_t answers = reader.u16();
  reader.u32();
  std::string asked = canonical_name(reader.name(false)).value_or("");
  std::uint16_t asked_type = reader.u16();
  std::uint16_t category = reader.u16();
  if (!reader.ok() || !same_id || (flags & kResponse) == 0 || (flags & kOpcode) != 0 ||
      questions != 1 || asked != name || asked_type != static_cast<std::uint16_t>(type) ||
      category != kInternet) {
    return std::nullopt;
  }
  auto code = flags & 0xf;
  Reply reply{.status = code == 0   ? Status::kOk
                        : code == 3 ? Status::kNoName
                                    : Status::kServerFailure,
              .truncated = (flags & kTruncated) != 0};
  reply.ttl = UINT32_MAX;
  std::string owner(name);
  for (std::size_t i = 0; i < std::min<std::size_t>(answers, kMaxRecords); ++i) {
    Record record = read_record(reader);
    if (!reader.ok()) return reply.truncated ? std::optional(reply) : std::nullopt;
    if (record.category != kInternet || record.owner != owner) continue;
    if (record.type == static_cast<std::uint16_t>(Type::kCname)) {
      Reader target(bytes);
      target.seek(record.data_at);
      owner = canonical_name(target.name(true)).value_or("");
      if (!target.ok() || owner.empty()) return std::nullopt;
      reply.ttl = std::min(reply.ttl, record.ttl);
    } else if (record.type == static_cast<std::uint16_t>(type)) {
      std::optional<Address> address = address_of(record);
      if (!address) return std::nullopt;
      reply.addresses.push_back(*address);
      reply.ttl = std::min(reply.ttl, record.ttl);
    }
  }
  if (reply.addresses.empty()) reply.ttl = 0;
  return reply;
}

}  // namespace atl::egress::dns
