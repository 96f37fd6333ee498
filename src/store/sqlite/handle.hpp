// Owners of SQLite's objects, and its errors as ours.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "base/result.hpp"

namespace atl::store::sqlite {

struct CloseHandle {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
using Handle = std::unique_ptr<sqlite3, CloseHandle>;

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Result<Handle> open_handle(const std::string& file);

// `code` is an extended result code.
std::unexpected<Error> fail_sqlite(int code, sqlite3* handle);

}  // namespace atl::store::sqlite
