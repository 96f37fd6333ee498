// One connection to a database, used by one thread at a time. SQLite and PostgreSQL take the same
// statements: parameters are $1, $2, …; what they spell differently is substituted by migrate.cpp.
// Errors carry no values of rows: clients see them.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "store/sealer.hpp"

namespace atl::store {

struct Bytes {
  std::string_view view;
};
// Null, a number, text (UTF-8 without NUL; a view of something that outlives the call, or its own),
// or any bytes.
using Value = std::variant<std::monostate, std::int64_t, std::string_view, std::string, Bytes>;

class Row {
 public:
  virtual ~Row() = default;
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  // Text or bytes; valid until the next row.
  virtual std::string_view text(int column) const = 0;
};
using OnRow = std::function<Result<void>(const Row&)>;

class Connection {
 public:
  virtual ~Connection() = default;

  // Connects again when the server had gone; at once otherwise.
  virtual Result<void> ready() = 0;
  // One prepared statement. Returns how many rows it changed or gave.
  virtual Result<std::uint64_t> run(const std::string& sql, std::span<const Value> values,
                                    const OnRow& on_row) = 0;
  // Several statements without parameters, not kept.
  virtual Result<void> run_script(const std::string& sql) = 0;

  // Before the first transaction of a writer, once the schema is the newest.
  virtual Result<void> prepare_to_write() { return {}; }
  virtual Result<void> begin() = 0;
  // When this fails nothing of the transaction is left, unless is_unknown() says otherwise.
  virtual Result<void> commit() = 0;
  virtual void rollback() = 0;

  // The last failure was that of the connection: the transaction is undone and may be tried again.
  virtual bool was_lost() const { return false; }
  // The server went away during commit() and did not come back: nobody knows.
  virtual bool is_unknown() const { return false; }

  // What differs between the databases' dialects: "blob", "text" and so on for ${…} in migrations.
  virtual std::string spelled(std::string_view name) const = 0;

  // Encrypts and decrypts columns that are marked for it (columns.hpp). Without one such a row
  // fails.
  void use(std::shared_ptr<const Sealer> sealer) { sealer_ = std::move(sealer); }
  const Sealer& sealer() const { return *sealer_; }
  // Which chain of the audit this server adds to.
  void set_chain(std::string chain) { chain_ = std::move(chain); }
  const std::string& chain() const { return chain_; }

  Result<std::uint64_t> run(const std::string& sql, std::initializer_list<Value> values) {
    return run(sql, std::span(values.begin(), values.size()), OnRow());
  }
  Result<std::uint64_t> run(const std::string& sql, std::initializer_list<Value> values,
                            const OnRow& on_row) {
    return run(sql, std::span(values.begin(), values.size()), on_row);
  }

 private:
  std::string chain_ = "main";
  std::shared_ptr<const Sealer> sealer_ = std::make_shared<Sealer>(std::vector<StorageKey>());
};

}  // namespace atl::store
