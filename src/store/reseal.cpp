#include "store/reseal.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "store/rows.hpp"
#include "store/sealed_columns.hpp"

namespace atl::store {
namespace {

// A table with a column `environment`, which older versions kept in clear as a member of another
// column.
struct Table {
  std::string name, column, member;
};
const Table kSessions{"sessions", "config", "environment"};
const Table kTemplates{"templates", "spec", "env"};

struct Found {
  const Table* table;
  std::string id, config, environment;
};

// Only those that have an environment, in clear or not.
Result<void> find_rows(Connection& db, const Table& table, std::vector<Found>& rows) {
  std::string sql = "SELECT id, " + table.column + ", environment FROM " + table.name +
                    " WHERE length(environment) > 0 OR " + table.column + " LIKE '%\"" +
                    table.member + "\":{\"%'";
  ATOLL_CHECK(db.run(sql, {}, [&](const Row& row) -> Result<void> {
    rows.push_back(
        {&table, std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2))});
    return {};
  }));
  return {};
}

Result<void> check_key(std::string_view sealed, const char* what, const StorageKeys& keys) {
  std::string id = key_of(sealed);
  bool known = std::ranges::any_of(keys.all(), [&](const StorageKey& k) { return k.id() == id; });
  if (known) return {};
  return fail(Code::kConflict,
              std::string(what) + " are encrypted with the storage key " + id +
                  ", which is not there: put it back into storage.key of the data folder or into "
                  "ATOLL_STORAGE_KEY, and start again; nothing was changed");
}

Result<void> check_keys(const std::vector<Found>& rows, const std::vector<SealedValue>& values,
                        const StorageKeys& keys) {
  for (const Found& row : rows) {
    if (row.environment.empty()) continue;
    ATOLL_CHECK(check_key(row.environment, "environments of sessions and templates", keys));
  }
  for (const SealedValue& value : values) {
    ATOLL_CHECK(check_key(value.sealed, "secrets and network policies", keys));
  }
  return {};
}

const auto& secret_of(const model::SessionConfig& config) { return config.environment; }
const auto& secret_of(const model::TemplateSpec& spec) { return spec.env; }

template <typename T>
Result<void> write_row(Connection& db, const Sealer& sealer, const Found& row) {
  const Table& table = *row.table;
  constexpr codec::DecodeOptions kLenient{.ignore_unknown = true, .keep_defaults = true};
  auto config = codec::decode<T>(row.config, kLenient);
  if (!config) {
    return fail(Code::kInternal,
                "the stored " + table.column + " of a row of " + table.name + " cannot be read");
  }
  std::string place = sealed_place(table.name, row.id);
  std::string text;
  if (row.environment.empty()) {
    text = codec::encode(secret_of(*config));
  } else {
    ATOLL_TRY(text, sealer.open(row.environment, place));
  }
  ATOLL_TRY(std::string sealed, sealer.seal(text, place));
  drop_secrets(*config);
  ATOLL_CHECK(db.run(
      "UPDATE " + table.name + " SET " + table.column + " = $2, environment = $3 WHERE id = $1",
      {row.id, codec::encode(*config), Bytes{sealed}}));
  return {};
}

Result<void> write_rows(Connection& db, const Sealer& sealer, const std::vector<Found>& rows,
                        const std::vector<SealedValue>& values) {
  ATOLL_CHECK(db.begin());
  Result<void> done;
  for (const Found& row : rows) {
    if (!done) break;
    done = row.table == &kSessions ? write_row<model::SessionConfig>(db, sealer, row)
                                   : write_row<model::TemplateSpec>(db, sealer, row);
  }
  for (const SealedValue& value : values) {
    if (done) done = seal_again(db, sealer, value);
  }
  if (done) done = db.commit();
  if (!done) db.rollback();
  return done;
}

}  // namespace

Result<std::uint64_t> reseal(Connection& db, StorageKeys& keys, bool renew) {
  std::vector<Found> rows;
  ATOLL_CHECK(find_rows(db, kSessions, rows));
  ATOLL_CHECK(find_rows(db, kTemplates, rows));
  ATOLL_TRY(std::vector<SealedValue> values, find_sealed(db));
  ATOLL_CHECK(check_keys(rows, values, keys));
  if (keys.all().empty() || renew) ATOLL_CHECK(keys.add());
  Sealer sealer(keys.all());
  std::erase_if(rows, [&](const Found& row) { return sealer.is_newest(row.environment); });
  std::erase_if(values, [&](const SealedValue& one) { return sealer.is_newest(one.sealed); });
  if (!rows.empty() || !values.empty()) {
    // The file itself shall not hold what a row no longer does.
    ATOLL_CHECK(db.run_script(db.spelled("erase_old")));
    ATOLL_CHECK(write_rows(db, sealer, rows, values));
    ATOLL_CHECK(db.run_script(db.spelled("old_erased")));
  }
  ATOLL_CHECK(keys.drop_old());
  return rows.size() + values.size();
}

}  // namespace atl::store
