// Deadlines: points in time that are passed on, never restarted. with_deadline() cancels what it
// waits for when the time comes and waits until it has unwound, so nothing keeps running behind.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "async/task.hpp"
#include "base/result.hpp"

namespace atl::async {

using Deadline = std::chrono::steady_clock::time_point;

inline constexpr Deadline kNoDeadline = Deadline::max();
inline Deadline deadline_in(std::chrono::nanoseconds time) {
  return std::chrono::steady_clock::now() + time;
}

Task<void> sleep_until(Deadline deadline);
Task<void> sleep_for(std::chrono::nanoseconds time);
// Lets everybody else who is ready run first: for loops that could go on without ever waiting.
Task<void> yield_now();

namespace detail {

// True when the body ended in time; false when it was cancelled at the deadline.
Task<bool> ends_by(Task<void> body, Deadline deadline);

template <typename T>
Task<void> keep_outcome(Task<T> task, std::optional<T>* outcome) {
  outcome->emplace(co_await std::move(task));
}

}  // namespace detail

// The task's own result, or an Error with `code` when the deadline came first.
template <typename T>
Task<Result<T>> with_deadline(Task<Result<T>> task, Deadline deadline, Code code,
                              std::string message) {
  if (deadline == kNoDeadline) co_return co_await std::move(task);
  std::optional<Result<T>> outcome;
  bool in_time =
      co_await detail::ends_by(detail::keep_outcome(std::move(task), &outcome), deadline);
  // A task may swallow its cancellation and still answer: an answer is an answer.
  if (outcome) co_return std::move(*outcome);
  (void)in_time;
  co_return fail(code, std::move(message));
}

}  // namespace atl::async
