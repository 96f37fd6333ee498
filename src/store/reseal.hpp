// Brings every sealed value of a database to the newest storage key, and seals what an older
// version wrote in clear. At the start of a store: a crash in the middle is finished by the next
// start.
#pragma once

#include <cstdint>

#include "store/connection.hpp"
#include "store/storage_key.hpp"

namespace atl::store {

// `renew`: with a new key. kConflict, and nothing has changed, when a value needs a key that is not
// there. Returns how many rows it wrote.
Result<std::uint64_t> reseal(Connection& db, StorageKeys& keys, bool renew);

}  // namespace atl::store
