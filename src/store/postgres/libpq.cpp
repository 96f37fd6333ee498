#include "store/postgres/libpq.hpp"

#include <dlfcn.h>

namespace atl::store::postgres {
namespace {

template <typename Function>
bool take(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<Libpq> load() {
  void* library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(Code::kHostUnsupported,
                "PostgreSQL's client library libpq.so.5 is not on this host; install the Debian "
                "package libpq5, or leave the store's URL empty to use SQLite");
  }
  Libpq table{};
  bool complete =
      take(library, "PQconnectdbParams", table.connect) &&
      take(library, "PQfinish", table.finish) && take(library, "PQstatus", table.status) &&
      take(library, "PQerrorMessage", table.connection_error) &&
      take(library, "PQexec", table.exec) && take(library, "PQprepare", table.prepare) &&
      take(library, "PQexecPrepared", table.exec_prepared) &&
      take(library, "PQresultStatus", table.result_status) &&
      take(library, "PQresultErrorField", table.error_field) &&
      take(library, "PQcmdTuples", table.changed_rows) &&
      take(library, "PQntuples", table.row_count) && take(library, "PQgetisnull", table.is_null) &&
      take(library, "PQgetvalue", table.value) && take(library, "PQgetlength", table.length) &&
      take(library, "PQclear", table.clear);
  if (!complete) return fail(Code::kHostUnsupported, "libpq.so.5 of this host lacks functions");
  return table;
}

}  // namespace

Result<const Libpq*> load_libpq() {
  static const Result<Libpq> kLibrary = load();
  if (!kLibrary) return fail(kLibrary.error());
  return &*kLibrary;
}

}  // namespace atl::store::postgres
