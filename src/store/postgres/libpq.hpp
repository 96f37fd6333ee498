// PostgreSQL's client library, loaded when a server is configured to use it: `atoll` itself needs
// only libc and libm. The types are those of libpq-fe.h; the functions are these pointers.
#pragma once

#include <libpq-fe.h>

#include "base/result.hpp"

namespace atl::store::postgres {

struct Libpq {
  decltype(&::PQconnectdbParams) connect;
  decltype(&::PQfinish) finish;
  decltype(&::PQstatus) status;
  decltype(&::PQerrorMessage) connection_error;
  decltype(&::PQexec) exec;
  decltype(&::PQprepare) prepare;
  decltype(&::PQexecPrepared) exec_prepared;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQresultErrorField) error_field;
  decltype(&::PQcmdTuples) changed_rows;
  decltype(&::PQntuples) row_count;
  decltype(&::PQgetisnull) is_null;
  decltype(&::PQgetvalue) value;
  decltype(&::PQgetlength) length;
  decltype(&::PQclear) clear;
};

// Loaded once and kept. kHostUnsupported when the library is missing.
Result<const Libpq*> load_libpq();

}  // namespace atl::store::postgres
