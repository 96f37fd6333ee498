#include "store/sqlite/handle.hpp"

#include <cerrno>

namespace atl::store::sqlite {

Result<Handle> open_handle(const std::string& file) {
  sqlite3* raw = nullptr;
  int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Handle handle(raw);
  if (code != SQLITE_OK) return fail_sqlite(code, handle.get());
  // A command beside the server (atoll key) may be writing.
  sqlite3_busy_timeout(handle.get(), 5000);
  return handle;
}

std::unexpected<Error> fail_sqlite(int code, sqlite3* handle) {
  int reason = handle != nullptr ? sqlite3_system_errno(handle) : 0;
  bool is_io = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
  if ((code & 0xff) == SQLITE_FULL || (is_io && (reason == ENOSPC || reason == EDQUOT))) {
    return fail(Code::kResourceExhausted, "the disk of the data folder is full");
  }
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
      if (code == SQLITE_CONSTRAINT_FOREIGNKEY) {
        return fail(Code::kNotFound, "the store has no row that this change belongs to");
      }
      return fail(Code::kConflict, "the change conflicts with stored rows");
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return fail(Code::kConflict, "another process holds the database");
    case SQLITE_READONLY:
    case SQLITE_PERM: return fail(Code::kForbidden, "the database may not be written");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return fail(Code::kIo, "the database file is damaged");
    case SQLITE_TOOBIG: return fail(Code::kTooLarge, "a value is too large to be stored");
    case SQLITE_NOMEM: return fail(Code::kResourceExhausted, "no memory for the database");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return fail(Error(Code::kIo, "the database file cannot be read or written", reason));
    default: break;
  }
  return fail(Code::kInternal, std::string("the database failed: ") + sqlite3_errstr(code) + " (" +
                                   std::to_string(code) + ")");
}

}  // namespace atl::store::sqlite
