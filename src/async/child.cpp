#include "async/child.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "async/watcher.hpp"

namespace atl::async {

Task<Result<ChildExit>> detail::wait_child(Child* child) {
  Watcher watcher(co_await boost::asio::this_coro::executor);
  ATOLL_CO_TRY(Watcher::Descriptor * pidfd, watcher.on(child->pidfd()));
  boost::system::error_code ec;
  co_await pidfd->async_wait(Watcher::Descriptor::wait_read,
                             boost::asio::redirect_error(boost::asio::use_awaitable, ec));
  if (ec == boost::asio::error::operation_aborted) {
    co_return fail(Code::kCancelled, "the wait was cancelled");
  }
  if (ec) co_return fail_errno("wait for child", ec.value());
  watcher.release();
  co_return child->reap();
}

}  // namespace atl::async
