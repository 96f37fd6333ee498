// DNS for one sandbox: it answers for names that the policy allows; queries for others stay here.
// By UDP from its own socket; by TCP on connections to port 53 of any address.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "egress/context.hpp"
#include "egress/loop.hpp"
#include "egress/rate.hpp"

namespace atl::egress {

class Sandbox;

// Calls `reply` with the message to send, now or later, or not at all.
void answer_query(Sandbox& sandbox, std::string_view bytes,
                  std::function<void(const std::string&)> reply);

class DnsService final : public Watched {
 public:
  static constexpr int kPerTurn = 32;
  static constexpr double kPerSecond = 1000;

  DnsService(Sandbox& sandbox, UniqueFd socket);

 private:
  void on_ready(int fd, std::uint32_t events) override;
  bool read_one();

  Sandbox& sandbox_;
  std::shared_ptr<UniqueFd> socket_;  // shared with answers that come later
  Watch watch_;
  Rate rate_{kPerSecond, kPerSecond};
  Timer again_;
};

// A connection to port 53.
class DnsStream final : public std::enable_shared_from_this<DnsStream>, public Watched {
 public:
  static constexpr std::size_t kMaxQuery = 1232;
  static constexpr std::chrono::seconds kSilence{5};

  DnsStream(Sandbox& sandbox, UniqueFd socket);
  void start();

 private:
  void on_ready(int fd, std::uint32_t events) override;
  void answer(const std::string& message);

  Sandbox& sandbox_;
  UniqueFd socket_;
  Watch watch_;
  Timer timer_;
  Rate rate_{100, 100};
  std::string received_;
};

}  // namespace atl::egress
