#include "store/migrate.hpp"

#include <array>
#include <string>
#include <string_view>

#include "observe/log.hpp"
#include "store/migrations.hpp"

namespace atl::store {
namespace {

constexpr std::array kMigrations = {&migration_0001, &migration_0002, &migration_0003,
                                    &migration_0004, &migration_0005, &migration_0006,
                                    &migration_0007, &migration_0008, &migration_0009,
                                    &migration_0010, &migration_0011};

// ${name} becomes what the database calls it.
std::string in_dialect(const Connection& db, std::string_view text) {
  std::string out;
  for (;;) {
    std::size_t start = text.find("${");
    out += text.substr(0, start);
    if (start == std::string_view::npos) return out;
    std::size_t end = text.find('}', start);
    out += db.spelled(text.substr(start + 2, end - start - 2));
    text.remove_prefix(end + 1);
  }
}

Result<void> step(Connection& db, std::int64_t number) {
  ATOLL_CHECK(db.run_script(db.spelled("lock_schema")));
  // Another server may have done it while this one waited for the lock.
  ATOLL_TRY(std::int64_t version, schema_version(db));
  if (version >= number) return {};
  if (version == 0) {
    ATOLL_CHECK(
        db.run_script("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)"));
  }
  std::string_view text = kMigrations.at(static_cast<std::size_t>(number - 1))();
  ATOLL_CHECK(db.run_script(in_dialect(db, text)));
  std::string note = version == 0 ? "INSERT INTO schema_version (version) VALUES ("
                                  : "UPDATE schema_version SET version = (";
  return db.run_script(note + std::to_string(number) + ")");
}

std::unexpected<Error> too_new(std::int64_t version) {
  return fail(Code::kUnsupported, "the database has schema " + std::to_string(version) +
                                      ", newer than schema " + std::to_string(newest_schema()) +
                                      " of this program; run the newer atoll that wrote it");
}

}  // namespace

std::int64_t newest_schema() { return static_cast<std::int64_t>(kMigrations.size()); }

Result<std::int64_t> schema_version(Connection& db) {
  std::int64_t tables = 0;
  ATOLL_CHECK(db.run(db.spelled("count_version_tables"), {}, [&](const Row& row) -> Result<void> {
    tables = row.integer(0);
    return {};
  }));
  std::int64_t version = 0;
  if (tables == 0) return version;
  ATOLL_CHECK(db.run("SELECT version FROM schema_version", {}, [&](const Row& row) -> Result<void> {
    version = row.integer(0);
    return {};
  }));
  return version;
}

Result<void> migrate(Connection& db, std::int64_t up_to) {
  ATOLL_TRY(std::int64_t version, schema_version(db));
  if (version > newest_schema()) return too_new(version);
  for (std::int64_t number = version + 1; number <= up_to; ++number) {
    ATOLL_CHECK(db.begin());
    Result<void> done = step(db, number);
    if (done) done = db.commit();
    if (!done) {
      db.rollback();
      return fail(std::move(done).error().at("migration " + std::to_string(number)));
    }
    log::info("store_migrated", log::kv("schema", number));
  }
  return {};
}

Result<void> require_newest(Connection& db) {
  ATOLL_TRY(std::int64_t version, schema_version(db));
  if (version > newest_schema()) return too_new(version);
  if (version < newest_schema()) {
    return fail(Code::kConflict,
                "the server that uses this database is of an older version than this program");
  }
  return {};
}

}  // namespace atl::store
