// The keys that the store encrypts with. They lie in storage.key of the data folder, readable for
// its owner only, or come from ATOLL_STORAGE_KEY. The first one is used for what is written; others
// are being replaced and go when no row needs them any more.
#pragma once

#include <string>
#include <vector>

#include "store/sealer.hpp"

namespace atl::store {

std::string storage_key_given();  // ATOLL_STORAGE_KEY, empty when it is not set

class StorageKeys {
 public:
  // `given`: keys from the environment, separated by commas; they come before those of the file. No
  // file is no error, and no key.
  static Result<StorageKeys> load(const std::string& data_folder, const std::string& given);

  const std::vector<StorageKey>& all() const { return all_; }
  // Makes a new key the first one. On the disk, before any row is written with it.
  Result<void> add();
  // Only the first one is left, also in the file, unless it is from the environment.
  Result<void> drop_old();

 private:
  Result<void> save(const std::vector<StorageKey>& keys) const;

  std::string file_;
  std::vector<StorageKey> all_;
  std::size_t given_ = 0;  // so many of them are from the environment
};

}  // namespace atl::store
