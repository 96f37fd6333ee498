// Result<T>: a value or an Error, [[nodiscard]]. ATOLL_TRY and ATOLL_CHECK (try.hpp) return the
// Error to the caller.
#pragma once

#include <cerrno>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/expected.hpp"
#include "base/try.hpp"

namespace atl {

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}

// An Error from errno: `what` names the failed call or step.
std::unexpected<Error> fail_errno(const char* what, int errno_value = errno);

inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace atl

ATOLL_NODISCARD_VOID(atl::Error);

// ATOLL_TRY and ATOLL_CHECK in a coroutine.
#define ATOLL_CO_TRY(decl, ...) \
  ATOLL_TRY_WITH(co_return, ATOLL_CONCAT(atoll_result_, __LINE__), decl, __VA_ARGS__)
#define ATOLL_CO_CHECK(...) \
  ATOLL_CHECK_WITH(co_return, ATOLL_CONCAT(atoll_result_, __LINE__), __VA_ARGS__)
