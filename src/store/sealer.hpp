// Encrypts what the database must not hold in clear: AES-256-GCM with a random nonce. A sealed
// value names its key, and is bound to the row that it was made for. Used by any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace atl::store {

struct StorageKey {
  std::array<unsigned char, 32> bytes{};

  std::string id() const;  // eight bytes that do not give the key away
  std::string hex() const;
  static Result<StorageKey> random();
  static Result<StorageKey> parse(std::string_view hex);  // 64 digits
  bool operator==(const StorageKey&) const = default;
};

class Sealer {
 public:
  // The first one seals; all of them open.
  explicit Sealer(std::vector<StorageKey> keys) : keys_(std::move(keys)) {}

  // `place` names the row and column: what was sealed for another one does not open.
  Result<std::string> seal(std::string_view text, std::string_view place) const;
  Result<std::string> open(std::string_view sealed, std::string_view place) const;
  bool is_newest(std::string_view sealed) const;

 private:
  std::vector<StorageKey> keys_;
};

// The id() of the key that a value was sealed with; empty when it is none.
std::string key_of(std::string_view sealed);

}  // namespace atl::store
