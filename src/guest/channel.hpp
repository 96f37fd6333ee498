// One operation in progress on a connection. The connection owns it and hands it its frames; it
// dies when finished, when the host closes it, or with the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "guest/protocol.hpp"
#include "guest/wire.hpp"

namespace atl::guest {

class Connection;
class Server;

class Channel {
 public:
  Channel(Connection& connection, std::uint32_t id) : connection_(connection), id_(id) {}
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Bytes of stream 0, within the window. Call consumed() when they are dealt with.
  virtual void on_data(std::string_view bytes) { consumed(bytes.size()); }
  virtual void on_eof() {}
  // False: more than was ever sent, a violation.
  virtual bool on_credit(std::uint8_t stream, std::uint32_t bytes);
  // A slice of work or of output; true when there is more to do right away.
  virtual bool produce() { return false; }

  std::uint32_t id() const { return id_; }
  bool finished() const { return finished_; }
  // False when the host overran the window of stream 0.
  bool take_window(std::size_t bytes);

 protected:
  Connection& connection() { return connection_; }
  Server& server();
  void schedule();  // asks for a call of produce()
  void consumed(std::size_t bytes);
  void reply(std::string_view result);
  void fail_with(const Error& error);  // the reply, and the end
  void finish();                       // kClose; the object dies soon

 private:
  friend class Connection;
  Connection& connection_;
  std::uint32_t id_;
  bool finished_ = false;
  bool scheduled_ = false;
  std::size_t window_ = kWindow;  // what the host may still send on stream 0
  std::size_t owed_ = 0;          // consumed and not yet credited
};

// A channel whose stream 1 is made on demand, as fast as the host takes it.
class SourceChannel : public Channel {
 public:
  using Channel::Channel;
  bool on_credit(std::uint8_t stream, std::uint32_t bytes) final;
  bool produce() final;

 protected:
  enum class More { kYes, kLater, kEnd };  // kLater: schedule() is called when there is something
  struct Filled {
    std::size_t size = 0;
    More more = More::kYes;
  };
  // Writes the next bytes into `room`. May write none and still say kYes: a slice of work is done.
  virtual Filled fill(std::span<char> room) = 0;
  // After the last byte went out; the default ends the stream and the channel.
  virtual void ended();

 private:
  std::size_t credit_ = kWindow;
};

// Records: length-prefixed encodings (protocol.hpp) that may straddle frames.
class RecordChannel : public SourceChannel {
 public:
  using SourceChannel::SourceChannel;

 protected:
  Filled fill(std::span<char> room) final;
  // Adds some records to `out`, a slice of work at a time.
  virtual More more(std::string& out) = 0;

  template <typename T>
  static void add(std::string& out, const T& value) {
    Writer body;
    encode(body, value);
    out.append(Writer().string(body.bytes()).bytes());
  }

 private:
  std::string pending_;
  std::size_t sent_ = 0;
  bool last_ = false;
};

}  // namespace atl::guest
