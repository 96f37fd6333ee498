#include "async/pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <exception>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::async {

namespace {

// Threads that begin meanwhile get no signals: they would take them from whoever waits for them.
class QuietThreads {
 public:
  QuietThreads() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  QuietThreads(const QuietThreads&) = delete;
  QuietThreads& operator=(const QuietThreads&) = delete;
  ~QuietThreads() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

struct Pool::Impl {
  explicit Impl(std::size_t threads) : pool(threads) {}
  boost::asio::thread_pool pool;
};

Pool::Pool(std::size_t threads) {
  QuietThreads meanwhile;
  impl_ = std::make_unique<Impl>(threads);
}

Pool::~Pool() { impl_->pool.join(); }

Task<void> Pool::run(std::function<void()> job) {
  Executor executor = co_await boost::asio::this_coro::executor;
  auto initiate = [this, &executor, &job]<typename Handler>(Handler&& handler) {
    boost::asio::post(impl_->pool, [where = executor, work = std::move(job),
                                    resume = std::forward<Handler>(handler)]() mutable {
      std::exception_ptr thrown;
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      boost::asio::post(where, boost::asio::append(std::move(resume), std::move(thrown)));
    });
  };
  co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>,
                                       void(std::exception_ptr)>(
      initiate, boost::asio::use_awaitable_t<Executor>{});
}

}  // namespace atl::async
