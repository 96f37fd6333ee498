// Task<T>: the coroutine type of everything that waits. Includes only what handlers need: starting
// tasks is async/run.hpp's business, because co_spawn costs seconds of compile time a file.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace atl::async {

using Executor = boost::asio::any_io_executor;

template <typename T>
using Task = boost::asio::awaitable<T, Executor>;

}  // namespace atl::async
