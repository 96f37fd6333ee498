#include "async/run.hpp"

#include <exception>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace atl::async::detail {

void run_blocking(std::function<Task<void>(Executor)> body) {
  bool done = false;
  std::exception_ptr thrown;
  {
    // One thread runs it, others may post to it.
    boost::asio::io_context io(1);
    boost::asio::co_spawn(io, body(io.get_executor()), [&](std::exception_ptr exception) {
      thrown = std::move(exception);
      done = true;
    });
    while (!done) {
      if (io.run_one() == 0) throw std::logic_error("the main task waits for nothing");
    }
    // Tasks that were cancelled at the end unwind here, while what they use still exists.
    io.poll();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace atl::async::detail
