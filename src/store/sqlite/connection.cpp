#include "store/sqlite/connection.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/unique_fd.hpp"
#include "store/sqlite/checkpointer.hpp"
#include "store/sqlite/handle.hpp"

namespace atl::store::sqlite {
namespace {

// Statements with a number of states and labels differ by that number: bounded, not unlimited.
constexpr std::size_t kMaxStatements = 128;

// A commit into blocks that the log has already is synced without the file system's journal. It
// gets as long as it would get anyway, with nothing in it that SQLite takes for a page. Where that
// cannot be done commits are slower, and that is all.
void lay_out_log(const std::string& file) {
  UniqueFd log(::open((file + "-wal").c_str(), O_WRONLY | O_CLOEXEC));
  struct stat info{};
  if (!log || ::fstat(log.get(), &info) != 0) return;
  const std::string nothing(64 * 1024, '\0');
  for (off_t end = info.st_size; end < kLogBytes;) {
    ssize_t size = ::pwrite(log.get(), nothing.data(), nothing.size(), end);
    if (size <= 0) {  // a full disk: others need the rest of it
      (void)!::ftruncate(log.get(), info.st_size);
      return;
    }
    end += size;
  }
  (void)::fdatasync(log.get());
}

class SqliteRow final : public Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  bool is_null(int column) const override {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
  }
  std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_, column);
  }
  std::string_view text(int column) const override {
    const void* data = sqlite3_column_blob(statement_, column);
    if (data == nullptr) return {};
    return {static_cast<const char*>(data),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3_stmt* statement_;
};

struct Bind {
  sqlite3_stmt* statement;
  int index;

  int operator()(std::monostate /*null*/) const { return sqlite3_bind_null(statement, index); }
  int operator()(std::int64_t number) const { return sqlite3_bind_int64(statement, index, number); }
  int operator()(std::string_view text) const {
    const char* data = text.empty() ? "" : text.data();
    return sqlite3_bind_text64(statement, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  int operator()(const std::string& text) const { return (*this)(std::string_view(text)); }
  int operator()(Bytes bytes) const {
    const char* data = bytes.view.empty() ? "" : bytes.view.data();
    return sqlite3_bind_blob64(statement, index, data, bytes.view.size(), SQLITE_STATIC);
  }
};

class SqliteConnection final : public Connection {
 public:
  explicit SqliteConnection(Handle handle) : handle_(std::move(handle)) {}

  Result<void> set_up(const std::string& file, Use use) {
    ATOLL_CHECK(use_log());
    ATOLL_CHECK(
        run_script("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; "
                   "PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 0"));
    if (use == Use::kRead) return run_script("PRAGMA query_only = ON");
    ATOLL_TRY(Handle second, open_handle(file));
    int code = sqlite3_exec(second.get(), "PRAGMA synchronous = FULL; PRAGMA schema_version",
                            nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return fail_sqlite(code, second.get());
    lay_out_log(file);
    checkpointer_.emplace(std::move(second));
    sqlite3_wal_hook(handle_.get(), &note_log, this);
    return {};
  }

  Result<void> ready() override { return {}; }

  Result<std::uint64_t> run(const std::string& sql, std::span<const Value> values,
                            const OnRow& on_row) override {
    ATOLL_TRY(sqlite3_stmt * statement, prepared(sql));
    Result<std::uint64_t> done = run_prepared(statement, values, on_row);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return done;
  }

  Result<void> run_script(const std::string& sql) override {
    int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return fail_sqlite(code, handle_.get());
    return {};
  }

  Result<void> begin() override {
    static const std::string kSql = "BEGIN IMMEDIATE";
    ATOLL_CHECK(run(kSql, {}, OnRow()));
    return {};
  }
  Result<void> commit() override {
    static const std::string kSql = "COMMIT";
    pages_in_log_ = 0;
    ATOLL_CHECK(run(kSql, {}, OnRow()));
    if (checkpointer_) checkpointer_->log_has(pages_in_log_, handle_.get());
    return {};
  }
  void rollback() override {
    // After a full disk SQLite may have rolled back by itself.
    if (sqlite3_get_autocommit(handle_.get()) == 0) (void)run_script("ROLLBACK");
  }

  std::string spelled(std::string_view name) const override {
    if (name == "text") return "TEXT";
    if (name == "blob") return "BLOB";
    if (name == "clustered") return " WITHOUT ROWID";
    if (name == "count_version_tables") {
      return "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'";
    }
    if (name == "erase_old") return "PRAGMA secure_delete = ON";
    if (name == "old_erased") {
      return "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA secure_delete = OFF";
    }
    return "";  // lock_schema: BEGIN IMMEDIATE has done it
  }

 private:
  Result<void> use_log() {
    bool has_log = false;
    ATOLL_CHECK(run("PRAGMA journal_mode = WAL", {}, [&](const Row& row) -> Result<void> {
      has_log = row.text(0) == "wal";
      return {};
    }));
    if (has_log) return {};
    return fail(Code::kUnsupported, "the data folder is on a file system without shared memory");
  }

  static int note_log(void* self, sqlite3* /*handle*/, const char* /*name*/, int pages) {
    static_cast<SqliteConnection*>(self)->pages_in_log_ = pages;
    return SQLITE_OK;
  }

  Result<sqlite3_stmt*> prepared(const std::string& sql) {
    auto found = statements_.find(sql);
    if (found != statements_.end()) return found->second.get();
    if (statements_.size() >= kMaxStatements) statements_.clear();
    sqlite3_stmt* raw = nullptr;
    int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                  SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    Statement statement(raw);
    if (code != SQLITE_OK) return fail_sqlite(code, handle_.get());
    return statements_.emplace(sql, std::move(statement)).first->second.get();
  }

  Result<std::uint64_t> run_prepared(sqlite3_stmt* statement, std::span<const Value> values,
                                     const OnRow& on_row) {
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
      // "$7" is a name to SQLite; its index is where it came first.
      auto number = static_cast<std::size_t>(
          std::strtoul(sqlite3_bind_parameter_name(statement, i) + 1, nullptr, 10));
      if (number == 0 || number > values.size()) {
        return fail(Code::kInternal, "a statement lacks a parameter");
      }
      int code = std::visit(Bind{statement, i}, values[number - 1]);
      if (code != SQLITE_OK) return fail_sqlite(code, handle_.get());
    }
    std::uint64_t rows = 0;
    SqliteRow row(statement);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      ++rows;
      if (on_row) {
        ATOLL_CHECK(on_row(row));
      }
    }
    if (code != SQLITE_DONE) return fail_sqlite(code, handle_.get());
    if (sqlite3_column_count(statement) > 0) return rows;
    return static_cast<std::uint64_t>(sqlite3_changes64(handle_.get()));
  }

  Handle handle_;
  std::optional<Checkpointer> checkpointer_;
  std::unordered_map<std::string, Statement> statements_;  // gone before the handle
  int pages_in_log_ = 0;
};

// SQLite would make it readable for everybody; its log takes over the mode. A file that is there is
// not opened: closing it would drop the locks of every other connection of this process.
Result<void> make_file(const std::string& file) {
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) {
    if (errno != EEXIST) return fail_errno("make the database file");
    if (::chmod(file.c_str(), 0600) != 0) return fail_errno("protect the database file");
    return {};
  }
  UniqueFd folder(::open(std::filesystem::path(file).parent_path().c_str(),
                         O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) return fail_errno("sync the data folder");
  return {};
}

}  // namespace

Result<std::unique_ptr<Connection>> connect(std::string file, Use use) {
  if (use == Use::kWrite) {
    ATOLL_CHECK(make_file(file));
  }
  ATOLL_TRY(Handle handle, open_handle(file));
  auto connection = std::make_unique<SqliteConnection>(std::move(handle));
  ATOLL_CHECK(connection->set_up(file, use));
  return connection;
}

}  // namespace atl::store::sqlite
