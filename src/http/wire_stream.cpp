#include "http/wire_stream.hpp"

#include <exception>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>

namespace atl::http {

Task<Result<std::size_t>> WireStream::read(std::shared_ptr<Wire> wire, std::string* early,
                                           std::span<char> into) {
  if (!early->empty()) {
    std::size_t size = early->copy(into.data(), into.size());
    early->erase(0, size);
    co_return size;
  }
  co_return co_await wire->read_some(into);
}

Task<Result<std::size_t>> WireStream::write(std::shared_ptr<Wire> wire, std::vector<iovec> pieces) {
  std::size_t size = 0;
  for (const iovec& one : pieces) size += one.iov_len;
  ATOLL_CO_CHECK(co_await wire->write_all(pieces));
  co_return size;
}

void WireStream::start_io(const async::Executor& executor, Task<Result<std::size_t>> task,
                          boost::asio::cancellation_slot slot, Done done) {
  auto ended = [done = std::move(done)](std::exception_ptr thrown,
                                        Result<std::size_t> got) mutable {
    boost::system::error_code ec;
    if (thrown || (!got && got.error().code() == Code::kCancelled)) {
      ec = boost::asio::error::operation_aborted;
    } else if (!got) {
      ec = boost::asio::error::connection_reset;
    } else if (*got == 0) {
      ec = boost::asio::error::eof;
    }
    done(ec, ec ? 0 : *got);
  };
  boost::asio::co_spawn(executor, std::move(task),
                        boost::asio::bind_cancellation_slot(slot, std::move(ended)));
}

}  // namespace atl::http
