#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <utility>

#include "base/ids.hpp"
#include "base/write_all.hpp"
#include "observe/log.hpp"
#include "store/data_lock.hpp"
#include "store/database_store.hpp"
#include "store/migrate.hpp"
#include "store/postgres/connection.hpp"
#include "store/queries.hpp"
#include "store/reseal.hpp"
#include "store/sqlite/connection.hpp"

namespace atl::store {
namespace {

// A command such as `atoll key` holds the lock for a moment.
constexpr std::chrono::milliseconds kPatience{500};

Result<std::unique_ptr<Connection>> connect(const StoreOptions& options, sqlite::Use use) {
  const std::string& url = options.url;
  if (url.empty() || url == "sqlite:") {
    return sqlite::connect(options.data_folder + "/atoll.db", use);
  }
  if (url.starts_with("postgres://") || url.starts_with("postgresql://")) {
    return postgres::connect(url);
  }
  // Not the URL itself: it may hold a password.
  return fail(Code::kInvalidArgument,
              "the store's URL must be empty, sqlite: or begin with postgres://");
}

Result<UniqueFd> lock(const StoreOptions& options) {
  bool alone = !options.beside_server;
  Result<UniqueFd> locked =
      lock_data_folder(options.data_folder, alone ? kPatience : std::chrono::milliseconds(0));
  if (!locked && !alone && locked.error().code() == Code::kConflict) return UniqueFd();
  return locked;
}

// Behind the migrations: rows of older versions are encrypted here.
Result<std::shared_ptr<const Sealer>> open_sealer(Connection& db, const StoreOptions& options) {
  ATOLL_TRY(StorageKeys keys, StorageKeys::load(options.data_folder, options.storage_key));
  ATOLL_TRY(std::uint64_t rows, reseal(db, keys, options.renew_storage_key));
  if (rows > 0) log::info("store_encrypted", log::kv("rows", rows));
  return std::make_shared<const Sealer>(keys.all());
}

// Servers that share a database do not wait for each other's chain: each has one of its own, by its
// data folder.
Result<std::string> chain_of(const StoreOptions& options) {
  if (options.url.empty() || options.url == "sqlite:") return "main";
  std::string path = options.data_folder + "/audit.chain";
  std::string name;
  if (std::ifstream in(path); in >> name && !name.empty()) return name;
  name = make_sortable_id();
  UniqueFd out(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!out || !write_all(out.get(), name + "\n") || ::fsync(out.get()) != 0) {
    return fail_errno("writing the name of the audit's chain");
  }
  return name;
}

Result<StoreParts> open_parts(const StoreOptions& options) {
  ATOLL_CHECK(make_data_folder(options.data_folder));
  ATOLL_TRY(UniqueFd locked, lock(options));
  ATOLL_TRY(OutputFiles outputs, OutputFiles::open(options.data_folder));
  ATOLL_TRY(std::unique_ptr<Connection> writer, connect(options, sqlite::Use::kWrite));
  if (locked) {
    ATOLL_CHECK(migrate(*writer));
    ATOLL_TRY(std::vector<std::string> known, executions_with_files(*writer));
    ATOLL_TRY(std::uint64_t orphans, outputs.remove_all_but(std::move(known)));
    if (orphans > 0) log::info("store_orphans_removed", log::kv("files", orphans));
  } else {
    ATOLL_CHECK(require_newest(*writer));
  }
  std::shared_ptr<const Sealer> sealer = std::make_shared<Sealer>(std::vector<StorageKey>());
  if (!options.beside_server) {
    ATOLL_TRY(sealer, open_sealer(*writer, options));
  }
  ATOLL_TRY(std::string chain, chain_of(options));
  writer->set_chain(std::move(chain));
  ATOLL_CHECK(writer->prepare_to_write());
  ATOLL_TRY(std::unique_ptr<Connection> reader, connect(options, sqlite::Use::kRead));
  writer->use(sealer);
  reader->use(sealer);
  return StoreParts{.lock = std::move(locked),
                    .writer = std::move(writer),
                    .reader = std::move(reader),
                    .outputs = std::move(outputs)};
}

}  // namespace

async::Task<Result<std::unique_ptr<Store>>> open_store(StoreOptions options) {
  async::Pool opening(1);
  ATOLL_CO_TRY(StoreParts parts,
               co_await async::on_pool(opening, [&options] { return open_parts(options); }));
  co_return std::make_unique<DatabaseStore>(std::move(parts));
}

}  // namespace atl::store
