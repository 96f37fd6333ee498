#include "egress/name_table.hpp"

namespace atl::egress {

namespace {

// FNV-1a: the same in every build.
std::uint32_t sum_of(std::string_view name) {
  std::uint32_t sum = 0x811c9dc5;
  for (char c : name) sum = (sum ^ static_cast<std::uint8_t>(c)) * 0x01000193;
  return sum;
}

}  // namespace

bool NameTable::is_synthetic(const Address& address) {
  return address.is_v4() && address.as_v4() >> 17 == kFirst >> 17;
}

std::optional<Address> NameTable::address_of(std::string_view name) {
  auto found = by_name_.find(name);
  if (found != by_name_.end()) return Address::v4(found->second);
  if (by_name_.size() >= kMaxNames) return std::nullopt;
  constexpr std::uint32_t kCount = kLast - kFirst + 1;
  std::uint32_t offset = sum_of(name) % kCount;
  while (by_address_.contains(kFirst + offset)) offset = (offset + 1) % kCount;
  auto added = by_name_.emplace(name, kFirst + offset).first;
  by_address_.emplace(added->second, &added->first);
  return Address::v4(added->second);
}

const std::string* NameTable::name_of(const Address& address) const {
  if (!address.is_v4()) return nullptr;
  auto found = by_address_.find(address.as_v4());
  return found == by_address_.end() ? nullptr : found->second;
}

}  // namespace atl::egress
