#include "async/task_group.hpp"

#include <list>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>

#include "async/event.hpp"
#include "base/raw_log.hpp"

namespace atl::async {

struct TaskGroup::State {
  explicit State(Executor with) : executor(std::move(with)) {}

  Executor executor;
  std::list<boost::asio::cancellation_signal> signals;  // one a task
  bool closed = false;
  Event changed;
};

namespace {

std::function<void(std::exception_ptr)>& bug_handler() {
  static std::function<void(std::exception_ptr)> handler;
  return handler;
}

bool is_cancellation(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const boost::system::system_error& error) {
    return error.code() == boost::asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

}  // namespace

void on_bug(std::function<void(std::exception_ptr)> handler) { bug_handler() = std::move(handler); }

void report_bug(std::exception_ptr exception) {
  if (bug_handler()) return bug_handler()(std::move(exception));
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    raw_log("background task failed: ", error.what());
  } catch (...) {
    raw_log("background task failed: unknown exception");
  }
}

TaskGroup::TaskGroup(Executor executor) : state_(std::make_shared<State>(std::move(executor))) {}

TaskGroup::~TaskGroup() { close(); }

bool TaskGroup::spawn(Task<void> task) {
  if (state_->closed) return false;
  auto signal = state_->signals.emplace(state_->signals.end());
  auto finished = [state = state_, signal](std::exception_ptr exception) {
    state->signals.erase(signal);
    state->changed.notify_all();
    if (exception && !is_cancellation(exception)) report_bug(std::move(exception));
  };
  boost::asio::co_spawn(state_->executor, std::move(task),
                        boost::asio::bind_cancellation_slot(signal->slot(), std::move(finished)));
  return true;
}

void TaskGroup::close() {
  if (state_->closed) return;
  state_->closed = true;
  // A handler never runs inside emit(), so the list stays as it is while we walk it.
  for (auto& signal : state_->signals) signal.emit(boost::asio::cancellation_type::terminal);
}

Task<void> TaskGroup::join() {
  close();
  co_await wait_idle();
}

Task<void> TaskGroup::wait_idle() {
  std::shared_ptr<State> state = state_;
  while (!state->signals.empty()) co_await state->changed.wait();
}

std::size_t TaskGroup::size() const { return state_->signals.size(); }

}  // namespace atl::async
