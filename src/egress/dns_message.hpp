// DNS messages: the queries of a sandbox and the answers to them, and the same with a resolver
// outside. Everything that comes is hostile: a name is read only into its canonical form, and what
// goes out is written anew, never copied. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egress/address.hpp"

namespace atl::egress::dns {

enum class Type : std::uint16_t { kA = 1, kCname = 5, kPtr = 12, kAaaa = 28 };
enum class Status : std::uint8_t { kOk = 0, kFormError = 1, kServerFailure = 2, kNoName = 3 };

struct Query {
  std::uint16_t id = 0;
  bool recursion_desired = false;
  std::uint16_t type = 0;
  std::string name;      // canonical; empty: a name that no host can have
  std::string question;  // as it was asked: the answer repeats it

  bool is(Type one) const { return type == static_cast<std::uint16_t>(one); }
};

struct ReadQuery {
  std::optional<Query> query;
  std::string refusal;  // without a query: what to answer; empty: nothing
};

// One question of class IN, compressed nowhere.
ReadQuery read_query(std::string_view bytes);

std::string answer_address(const Query& query, const Address& v4, std::uint32_t ttl);
std::string answer_name(const Query& query, std::string_view name, std::uint32_t ttl);  // PTR
// Without records: NOERROR says that the name is there, but nothing of this type.
std::string answer_nothing(const Query& query, Status status);

// "4.3.2.1.in-addr.arpa" as 1.2.3.4.
std::optional<Address> address_in(std::string_view reverse_name);

// To a resolver. `name` is canonical.
std::string make_query(std::uint16_t id, std::string_view name, Type type);

struct Reply {
  Status status = Status::kOk;
  bool truncated = false;  // ask again by TCP
  std::vector<Address> addresses;
  std::uint32_t ttl = 0;  // the least of all records that led to them, in seconds
};
// nullopt for what is no answer to that query. Records count only if the name leads to them, by
// CNAMEs that stand in the same message.
std::optional<Reply> read_reply(std::string_view bytes, std::uint16_t id, std::string_view name,
                                Type type);

}  // namespace atl::egress::dns
