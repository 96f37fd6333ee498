#include "store/storage_key.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/unique_fd.hpp"
#include "base/write_all.hpp"

namespace atl::store {
namespace {

constexpr std::size_t kMaxFile = 64 * 1024;

Result<void> parse_into(std::vector<StorageKey>& keys, std::string_view text, char between,
                        const char* where) {
  while (!text.empty()) {
    std::size_t end = text.find(between);
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (word.empty()) continue;
    Result<StorageKey> key = StorageKey::parse(word);
    if (!key) {
      return fail(Code::kInvalidArgument, std::string(where) + ": " + key.error().message());
    }
    if (std::ranges::find(keys, *key) == keys.end()) keys.push_back(*key);
  }
  return {};
}

std::unexpected<Error> cannot(const char* what) {
  return fail_errno((std::string(what) + " storage.key of the data folder").c_str());
}

}  // namespace

std::string storage_key_given() {
  const char* given = std::getenv("ATOLL_STORAGE_KEY");  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr ? "" : given;
}

Result<StorageKeys> StorageKeys::load(const std::string& data_folder, const std::string& given) {
  StorageKeys keys;
  keys.file_ = data_folder + "/storage.key";
  ATOLL_CHECK(parse_into(keys.all_, given, ',', "ATOLL_STORAGE_KEY"));
  keys.given_ = keys.all_.size();
  UniqueFd file(::open(keys.file_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return keys;
  if (!file) return cannot("opening");
  std::string text(kMaxFile, '\0');
  ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return cannot("reading");
  text.resize(static_cast<std::size_t>(size));
  ATOLL_CHECK(parse_into(keys.all_, text, '\n', "storage.key of the data folder"));
  return keys;
}

Result<void> StorageKeys::add() {
  ATOLL_TRY(StorageKey key, StorageKey::random());
  std::vector<StorageKey> keys = all_;
  keys.insert(keys.begin(), key);
  ATOLL_CHECK(save(keys));
  all_ = std::move(keys);
  return {};
}

Result<void> StorageKeys::drop_old() {
  if (all_.size() <= 1) return {};
  if (given_ == 0) ATOLL_CHECK(save({all_.front()}));
  all_.resize(1);
  return {};
}

// Whole or not at all, also after a loss of power.
Result<void> StorageKeys::save(const std::vector<StorageKey>& keys) const {
  std::string text;
  for (const StorageKey& key : keys) text += key.hex() + "\n";
  std::string fresh = file_ + ".new";
  ::unlink(fresh.c_str());
  UniqueFd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  bool written = file && write_all(file.get(), text) && ::fsync(file.get()) == 0 &&
                 ::rename(fresh.c_str(), file_.c_str()) == 0;
  if (!written) return cannot("writing");
  std::string folder = file_.substr(0, file_.rfind('/'));
  UniqueFd entry(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!entry || ::fsync(entry.get()) != 0) return cannot("writing");
  return {};
}

}  // namespace atl::store
