// A Wire as Asio and Beast want streams to be: completion handlers that never run inside the call.
// Included by transport.cpp alone, because co_spawn is slow to compile.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "http/wire.hpp"

namespace boost::beast {
enum class role_type;
}

namespace atl::http {

class WireStream {
 public:
  using executor_type = async::Executor;

  WireStream(async::Executor executor, std::shared_ptr<Wire> wire, std::string early)
      : executor_(std::move(executor)), wire_(std::move(wire)), early_(std::move(early)) {}

  executor_type get_executor() const { return executor_; }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    boost::asio::mutable_buffer first = first_of<boost::asio::mutable_buffer>(buffers);
    return start(read(wire_, &early_, {static_cast<char*>(first.data()), first.size()}), token);
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    std::vector<iovec> pieces;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers); ++at) {
      boost::asio::const_buffer one(*at);
      pieces.push_back({.iov_base = const_cast<void*>(one.data()), .iov_len = one.size()});
    }
    return start(write(wire_, std::move(pieces)), token);
  }

  // Beast finds these three by the type of the stream.
  friend void beast_close_socket(WireStream& stream) { stream.wire_->expire(); }
  friend void teardown(boost::beast::role_type /*role*/, WireStream& stream,
                       boost::system::error_code& /*ec*/) {
    stream.wire_->shutdown_write();
  }
  template <typename Handler>
  friend void async_teardown(boost::beast::role_type /*role*/, WireStream& stream,
                             Handler&& handler) {
    stream.wire_->shutdown_write();
    boost::asio::post(stream.executor_, boost::asio::append(std::forward<Handler>(handler),
                                                            boost::system::error_code()));
  }

 private:
  template <typename Buffer, typename Buffers>
  static Buffer first_of(const Buffers& buffers) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers); ++at) {
      Buffer one(*at);
      if (one.size() > 0) return one;
    }
    return {};
  }

  static Task<Result<std::size_t>> read(std::shared_ptr<Wire> wire, std::string* early,
                                        std::span<char> into) {
    if (!early->empty()) {
      std::size_t size = early->copy(into.data(), into.size());
      early->erase(0, size);
      co_return size;
    }
    co_return co_await wire->read_some(into);
  }

  static Task<Result<std::size_t>> write(std::shared_ptr<Wire> wire, std::vector<iovec> pieces) {
    std::size_t size = 0;
    for (const iovec& one : pieces) size += one.iov_len;
    ATOLL_CO_CHECK(co_await wire->write_all(pieces));
    co_return size;
  }

  template <typename Token>
  auto start(Task<Result<std::size_t>> task, Token& token) {
    auto initiate = [executor = executor_]<typename Handler>(Handler&& handler,
                                                             Task<Result<std::size_t>> work) {
      auto slot = boost::asio::get_associated_cancellation_slot(handler);
      auto done = [executor, handler = std::forward<Handler>(handler)](
                      std::exception_ptr thrown, Result<std::size_t> got) mutable {
        boost::system::error_code ec;
        std::size_t size = 0;
        if (thrown || (!got && got.error().code() == Code::kCancelled)) {
          ec = boost::asio::error::operation_aborted;
        } else if (!got) {
          ec = boost::asio::error::connection_reset;
        } else if (*got == 0) {
          ec = boost::asio::error::eof;
        } else {
          size = *got;
        }
        boost::asio::post(executor, boost::asio::append(std::move(handler), ec, size));
      };
      boost::asio::co_spawn(executor, std::move(work),
                            boost::asio::bind_cancellation_slot(slot, std::move(done)));
    };
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        initiate, token, std::move(task));
  }

  async::Executor executor_;
  std::shared_ptr<Wire> wire_;
  std::string early_;
};

}  // namespace atl::http
