// Columns that hold sealed bytes and nothing else, for whoever brings them to the newest storage
// key. A value is bound to its table, its row and its column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/connection.hpp"

namespace atl::store {

// Neither tables nor columns nor the last of several keys have a slash in them.
std::string secret_place(std::string_view tenant, std::string_view name);
std::string approval_place(std::string_view id);
std::string network_place(std::string_view table, std::string_view id);

struct SealedValue {
  std::size_t column = 0;         // which of those in sealed_columns.cpp
  std::vector<std::string> keys;  // of its row
  std::string sealed;
  std::string place;
};

// Every one that is not empty.
Result<std::vector<SealedValue>> find_sealed(Connection& db);
// With the sealer's newest key.
Result<void> seal_again(Connection& db, const Sealer& sealer, const SealedValue& value);

}  // namespace atl::store
