// Threads for calls that block: file trees, DNS, databases, fork. The awaiting coroutine goes on
// where it was, on its own I/O thread. A job that has started cannot be cancelled, so the wait is
// not either. Destroy the Pool before the I/O context whose tasks use it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "async/task.hpp"

namespace atl::async {

class Pool {
 public:
  explicit Pool(std::size_t threads);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();  // waits for the running jobs

  Task<void> run(std::function<void()> job);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

namespace detail {

template <typename Function>
Task<std::invoke_result_t<Function&>> on_pool(Pool* pool, Function function) {
  using T = std::invoke_result_t<Function&>;
  if constexpr (std::is_void_v<T>) {
    co_await pool->run(std::ref(function));
  } else {
    std::optional<T> result;
    auto job = [&] { result.emplace(function()); };
    co_await pool->run(std::ref(job));
    co_return std::move(*result);
  }
}

}  // namespace detail

// auto size = co_await on_pool(pool, [path] { return tree_size(path); });
template <typename Function>
auto on_pool(Pool& pool, Function function) {
  return detail::on_pool(&pool, std::move(function));
}

}  // namespace atl::async
