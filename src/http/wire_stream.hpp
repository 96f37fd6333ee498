// A Wire as Asio and Beast want streams to be: completion handlers that never run inside the call.
// Internal to http/.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>

#include "http/wire.hpp"

namespace boost::beast {
enum class role_type;  // NOLINT(readability-identifier-naming): Beast's name
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
                                        std::span<char> into);
  static Task<Result<std::size_t>> write(std::shared_ptr<Wire> wire, std::vector<iovec> pieces);
  using Done = std::move_only_function<void(boost::system::error_code, std::size_t)>;
  static void start_io(const async::Executor& executor, Task<Result<std::size_t>> task,
                       boost::asio::cancellation_slot slot, Done done);

  template <typename Token>
  auto start(Task<Result<std::size_t>> task, Token& token) {
    auto initiate = [executor = executor_]<typename Handler>(Handler&& handler,
                                                             Task<Result<std::size_t>> work) {
      auto slot = boost::asio::get_associated_cancellation_slot(handler);
      auto signal = std::make_shared<boost::asio::cancellation_signal>();
      if (slot.is_connected()) {
        slot.assign([signal](boost::asio::cancellation_type type) { signal->emit(type); });
      }
      auto done = [executor, slot, signal, handler = std::forward<Handler>(handler)](
                      boost::system::error_code ec, std::size_t size) mutable {
        slot.clear();
        boost::asio::post(executor, boost::asio::append(std::move(handler), ec, size));
      };
      start_io(executor, std::move(work), signal->slot(), std::move(done));
    };
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        initiate, token, std::move(task));
  }

  async::Executor executor_;
  std::shared_ptr<Wire> wire_;
  std::string early_;
};

}  // namespace atl::http
