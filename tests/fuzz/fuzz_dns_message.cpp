// Any bytes as a query of a sandbox, and as the reply of a resolver: refused, or read in one form.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "egress/dns_message.hpp"
#include "egress/host_name.hpp"

namespace atl::fuzz {

using namespace egress;

void check_query(std::string_view bytes) {
  dns::ReadQuery read = dns::read_query(bytes);
  if (!read.query) {
    if (!read.refusal.empty() && read.refusal.size() != 12) std::abort();
    return;
  }
  const dns::Query& query = *read.query;
  if (!query.name.empty() && canonical_name(query.name) != query.name) std::abort();
  std::string answer = dns::answer_address(query, Address::v4(0xc6120010), 30);
  if (query.name.empty() || !query.is(dns::Type::kA)) return;
  // The answer is one to the same question, and says what was put into it.
  auto reply = dns::read_reply(answer, query.id, query.name, dns::Type::kA);
  if (!reply || reply->addresses.size() != 1 || reply->ttl != 30) std::abort();
  auto again = dns::read_query(dns::make_query(query.id, query.name, dns::Type::kA));
  if (!again.query || again.query->name != query.name) std::abort();
}

void check_reply(std::string_view bytes) {
  for (dns::Type type : {dns::Type::kA, dns::Type::kAaaa}) {
    auto reply = dns::read_reply(bytes, 1, "a.test", type);
    if (!reply) continue;
    for (const Address& address : reply->addresses) {
      if (Address::parse(address.to_string()) != address) std::abort();
      static_cast<void>(is_public(address));
    }
  }
}

}  // namespace atl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  atl::fuzz::check_query(bytes);
  atl::fuzz::check_reply(bytes);
  return 0;
}
