#include "store/reseal.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "store/rows.hpp"

namespace atl::store {
namespace {

struct Found {
  std::string id, config, environment;
};

// Only those that have an environment, in clear or not.
Result<std::vector<Found>> find_rows(Connection& db) {
  static const std::string kSql =
      "SELECT id, config, environment FROM sessions "
      "WHERE length(environment) > 0 OR config LIKE '%\"environment\":{\"%'";
  std::vector<Found> rows;
  ATOLL_CHECK(db.run(kSql, {}, [&](const Row& row) -> Result<void> {
    rows.push_back({std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2))});
    return {};
  }));
  return rows;
}

Result<void> check_keys(const std::vector<Found>& rows, const StorageKeys& keys) {
  for (const Found& row : rows) {
    if (row.environment.empty()) continue;
    std::string id = key_of(row.environment);
    bool known = std::ranges::any_of(keys.all(), [&](const StorageKey& k) { return k.id() == id; });
    if (known) continue;
    return fail(Code::kConflict,
                "the environments of sessions are encrypted with the storage key " + id +
                    ", which is not there: put it back into storage.key of the data folder or into "
                    "ATOLL_STORAGE_KEY, and start again; nothing was changed");
  }
  return {};
}

Result<void> write_row(Connection& db, const Sealer& sealer, const Found& row) {
  static const std::string kSql = "UPDATE sessions SET config = $2, environment = $3 WHERE id = $1";
  constexpr codec::DecodeOptions kLenient{.ignore_unknown = true, .keep_defaults = true};
  auto config = codec::decode<model::SessionConfig>(row.config, kLenient);
  if (!config) return fail(Code::kInternal, "the stored config of a session cannot be read");
  std::string place = sealed_place("sessions", row.id);
  std::string text;
  if (row.environment.empty()) {
    text = codec::encode(config->environment);
  } else {
    ATOLL_TRY(text, sealer.open(row.environment, place));
  }
  ATOLL_TRY(std::string sealed, sealer.seal(text, place));
  config->environment.clear();
  ATOLL_CHECK(db.run(kSql, {row.id, codec::encode(*config), Bytes{sealed}}));
  return {};
}

Result<void> write_rows(Connection& db, const Sealer& sealer, const std::vector<Found>& rows) {
  ATOLL_CHECK(db.begin());
  Result<void> done;
  for (const Found& row : rows) {
    if (done) done = write_row(db, sealer, row);
  }
  if (done) done = db.commit();
  if (!done) db.rollback();
  return done;
}

}  // namespace

Result<std::uint64_t> reseal(Connection& db, StorageKeys& keys, bool renew) {
  ATOLL_TRY(std::vector<Found> rows, find_rows(db));
  ATOLL_CHECK(check_keys(rows, keys));
  if (keys.all().empty() || renew) ATOLL_CHECK(keys.add());
  Sealer sealer(keys.all());
  std::erase_if(rows, [&](const Found& row) { return sealer.is_newest(row.environment); });
  if (!rows.empty()) {
    // The file itself shall not hold what a row no longer does.
    ATOLL_CHECK(db.run_script(db.spelled("erase_old")));
    ATOLL_CHECK(write_rows(db, sealer, rows));
    ATOLL_CHECK(db.run_script(db.spelled("old_erased")));
  }
  ATOLL_CHECK(keys.drop_old());
  return rows.size();
}

}  // namespace atl::store
