#include "async/deadline.hpp"

#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::async {

using boost::system::error_code;
namespace experimental = boost::asio::experimental;

Task<void> sleep_until(Deadline deadline) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, deadline);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

Task<void> sleep_for(std::chrono::nanoseconds time) { co_await sleep_until(deadline_in(time)); }

Task<void> yield_now() { co_await boost::asio::post(boost::asio::use_awaitable); }

Task<bool> detail::ends_by(Task<void> body, Deadline deadline) {
  Executor executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer timer(executor, deadline);
  // Whichever ends first cancels the other, and both have ended when this goes on.
  auto [order, exception, timer_error] =
      co_await experimental::make_parallel_group(
          boost::asio::co_spawn(executor, std::move(body), boost::asio::deferred),
          timer.async_wait(boost::asio::deferred))
          .async_wait(experimental::wait_for_one(), boost::asio::use_awaitable);
  bool in_time = order[0] == 0;
  if (exception && in_time) std::rethrow_exception(exception);
  co_return in_time;
}

}  // namespace atl::async
