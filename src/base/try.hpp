// ATOLL_TRY and ATOLL_CHECK: return the error of a std::expected to the caller, whatever its type.
// Which <expected> that is, the includer says: base/expected.hpp, or the launcher's own.
#pragma once

#include <utility>

#define ATOLL_CONCAT_INNER(a, b) a##b
#define ATOLL_CONCAT(a, b) ATOLL_CONCAT_INNER(a, b)

// ATOLL_TRY(auto fd, open_at(...)); declares fd, or returns the error.
#define ATOLL_TRY(decl, ...) \
  ATOLL_TRY_WITH(return, ATOLL_CONCAT(atoll_result_, __LINE__), decl, __VA_ARGS__)
#define ATOLL_TRY_WITH(leave, result, decl, ...)                 \
  auto result = __VA_ARGS__;                                     \
  if (!result) leave std::unexpected(std::move(result).error()); \
  decl = std::move(*result)

// The same where success has no value.
#define ATOLL_CHECK(...) \
  ATOLL_CHECK_WITH(return, ATOLL_CONCAT(atoll_result_, __LINE__), __VA_ARGS__)
#define ATOLL_CHECK_WITH(leave, result, ...) \
  if (auto result = __VA_ARGS__; !result) leave std::unexpected(std::move(result).error())
