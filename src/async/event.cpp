#include "async/event.hpp"

#include <utility>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::async {

using boost::system::error_code;

// A node of the list of waiters, the longest waiting first; completing one unlinks and destroys it.
struct Event::Waiter {
  explicit Waiter(Event* owner) : event(owner), previous(owner->last_) {
    (previous ? previous->next : owner->first_) = this;
    owner->last_ = this;
  }
  virtual ~Waiter() = default;
  virtual void complete(error_code ec) = 0;

  void unlink() {
    (previous ? previous->next : event->first_) = next;
    (next ? next->previous : event->last_) = previous;
  }

  Event* event;
  Waiter* previous;
  Waiter* next = nullptr;
};

template <typename Handler>
struct Event::WaiterOf : Waiter {
  WaiterOf(Event* owner, Executor with, Handler&& what)
      : Waiter(owner), executor(std::move(with)), handler(std::move(what)) {}

  void complete(error_code ec) override {
    unlink();
    boost::asio::get_associated_cancellation_slot(handler).clear();
    Handler resume = std::move(handler);
    Executor where = std::move(executor);
    delete this;
    boost::asio::post(where, boost::asio::append(std::move(resume), ec));
  }

  Executor executor;
  Handler handler;
};

Event::~Event() {
  while (first_) first_->complete(boost::asio::error::operation_aborted);
}

void Event::notify_all() {
  while (first_) first_->complete({});
}

Task<void> Event::wait() {
  Executor executor = co_await boost::asio::this_coro::executor;
  auto initiate = [this, &executor]<typename Handler>(Handler&& handler) {
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    auto* waiter =
        new WaiterOf<std::decay_t<Handler>>(this, executor, std::forward<Handler>(handler));
    if (slot.is_connected()) {
      slot.assign([waiter](boost::asio::cancellation_type) {
        waiter->complete(boost::asio::error::operation_aborted);
      });
    }
  };
  co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>,
                                       void(error_code)>(initiate,
                                                         boost::asio::use_awaitable_t<Executor>{});
}

}  // namespace atl::async
