// Result<T>: a value or an Error. ATOLL_TRY and friends return the Error to the caller.
#pragma once

#include <cerrno>
#include <expected>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace atl {

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}

// An Error from errno: `what` names the failed call or step.
std::unexpected<Error> fail_errno(const char* what, int errno_value = errno);

inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

}  // namespace atl

#define ATOLL_CONCAT_INNER(a, b) a##b
#define ATOLL_CONCAT(a, b) ATOLL_CONCAT_INNER(a, b)

// ATOLL_TRY(auto fd, open_at(...)); declares fd, or returns the Error.
#define ATOLL_TRY(decl, ...) \
  ATOLL_TRY_WITH(return, ATOLL_CONCAT(atoll_result_, __LINE__), decl, __VA_ARGS__)
#define ATOLL_CO_TRY(decl, ...) \
  ATOLL_TRY_WITH(co_return, ATOLL_CONCAT(atoll_result_, __LINE__), decl, __VA_ARGS__)
#define ATOLL_TRY_WITH(leave, result, decl, ...)                       \
  auto result = __VA_ARGS__;                                           \
  if (!result) leave std::unexpected<::atl::Error>(std::move(result).error()); \
  decl = std::move(*result)

// The same for Result<void>.
#define ATOLL_CHECK(...) ATOLL_CHECK_WITH(return, ATOLL_CONCAT(atoll_result_, __LINE__), __VA_ARGS__)
#define ATOLL_CO_CHECK(...) \
  ATOLL_CHECK_WITH(co_return, ATOLL_CONCAT(atoll_result_, __LINE__), __VA_ARGS__)
#define ATOLL_CHECK_WITH(leave, result, ...) \
  if (auto result = __VA_ARGS__; !result)    \
  leave std::unexpected<::atl::Error>(std::move(result).error())
