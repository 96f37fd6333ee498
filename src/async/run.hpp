// Runs one coroutine to its end on the calling thread: main() of a program, or a test. When it has
// ended, whatever it left suspended is destroyed; nothing runs on.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "async/task.hpp"

namespace atl::async {

namespace detail {

// Throws what the coroutine threw.
void run_blocking(std::function<Task<void>(Executor)> body);

template <typename T>
Task<void> keep_result(std::function<Task<T>(Executor)> body, Executor executor,
                       std::optional<T>* result) {
  result->emplace(co_await body(std::move(executor)));
}

}  // namespace detail

// int code = run_to_end<int>([&](Executor executor) { return serve(executor, options); });
// The callable is an ordinary function or lambda that makes the coroutine: its captures live as
// long as this call does.
template <typename T>
T run_to_end(std::function<Task<T>(Executor)> body) {
  if constexpr (std::is_void_v<T>) {
    detail::run_blocking(std::move(body));
  } else {
    std::optional<T> result;
    detail::run_blocking([&](Executor executor) {
      return detail::keep_result<T>(std::move(body), std::move(executor), &result);
    });
    return std::move(*result);
  }
}

}  // namespace atl::async
