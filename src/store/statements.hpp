// Statements made from the columns of a row type, and the two ways they are used: put one, read
// some. The texts are made once; connections keep them prepared.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/rows.hpp"

namespace atl::store {

namespace detail {
std::string joined(const std::vector<std::string>& names, const std::string& prefix);
std::string insert_text(const std::string& table, const std::vector<std::string>& names);
std::string upsert_text(const std::string& table, const std::string& key,
                        const std::vector<std::string>& names);
}  // namespace detail

template <typename T>
const std::vector<std::string>& column_names() {
  static const std::vector<std::string> kNames = [] {
    ColumnNames visitor;
    T row{};
    columns(visitor, row);
    return std::move(visitor.names);
  }();
  return kNames;
}

// "SELECT a, b FROM table", to be gone on with " WHERE …".
template <typename T>
const std::string& select_text() {
  static const std::string kText =
      "SELECT " + detail::joined(column_names<T>(), "") + " FROM " + std::string(TableOf<T>::kName);
  return kText;
}

// The row is only looked at; visitors that read take it by reference.
template <typename T>
Result<std::uint64_t> run_with_row(Connection& db, const std::string& sql, T& row) {
  ColumnValues visitor(db.sealer());
  columns(visitor, row);
  if (visitor.error) return fail(std::move(*visitor.error));
  return db.run(sql, visitor.values, OnRow());
}

template <typename T>
Result<void> put_row(Connection& db, T& row) {
  static const std::string kSql =
      detail::upsert_text(TableOf<T>::kName, TableOf<T>::kKey, column_names<T>());
  ATOLL_CHECK(run_with_row(db, kSql, row));
  return {};
}

// False when the row is there already.
template <typename T>
Result<bool> add_row(Connection& db, T& row) {
  static const std::string kSql =
      detail::insert_text(TableOf<T>::kName, column_names<T>()) + " ON CONFLICT DO NOTHING";
  ATOLL_TRY(std::uint64_t added, run_with_row(db, kSql, row));
  return added > 0;
}

template <typename T>
Result<T> read_row(const Row& row, const Sealer& sealer) {
  T out{};
  ColumnReader visitor(row, sealer);
  columns(visitor, out);
  if (visitor.error) return fail(std::move(*visitor.error));
  return out;
}

template <typename T>
Result<std::vector<T>> read_rows(Connection& db, const std::string& where,
                                 std::span<const Value> values) {
  std::vector<T> rows;
  ATOLL_CHECK(db.run(select_text<T>() + where, values, [&](const Row& row) -> Result<void> {
    ATOLL_TRY(T one, read_row<T>(row, db.sealer()));
    rows.push_back(std::move(one));
    return {};
  }));
  return rows;
}

// Whether any row could have these: other text is never stored, and PostgreSQL refuses it.
bool are_storable(std::span<const Value> values);

template <typename T>
Result<std::vector<T>> read_some(Connection& db, const std::string& where,
                                 std::initializer_list<Value> values) {
  std::span<const Value> span(values.begin(), values.size());
  if (!are_storable(span)) return std::vector<T>();
  return read_rows<T>(db, where, span);
}

// kNotFound with the text when there is none.
template <typename T>
Result<T> read_one(Connection& db, const std::string& where, std::initializer_list<Value> values,
                   const char* none) {
  ATOLL_TRY(std::vector<T> rows, read_some<T>(db, where, values));
  if (rows.empty()) return fail(Code::kNotFound, none);
  return std::move(rows.front());
}

}  // namespace atl::store
