// One connection of a sandbox, from accept to its end: judged, dialled, its first bytes checked,
// then relayed both ways. Half-closes and resets pass. Owned by its Sandbox.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/unique_fd.hpp"
#include "egress/client_hello.hpp"
#include "egress/dial.hpp"
#include "egress/endpoint.hpp"
#include "egress/first_bytes.hpp"
#include "egress/http_requests.hpp"
#include "egress/interception.hpp"
#include "egress/loop.hpp"
#include "egress/protocol.hpp"
#include "egress/request_gate.hpp"
#include "egress/sandbox.hpp"

namespace atl::egress {

class Connection final : public std::enable_shared_from_this<Connection>, public Watched {
 public:
  static constexpr std::chrono::seconds kToClassify{10};
  static constexpr std::chrono::seconds kToLinger{2};
  static constexpr std::chrono::seconds kToSettle{30};
  static constexpr std::size_t kMaxFirst = ClientHelloReader::kMaxBytes + 1;

  Connection(Sandbox& sandbox, UniqueFd socket, Endpoint to);
  void start();
  // After the policy has changed.
  void judge_again();
  // The sandbox ends: no more callbacks.
  void abandon();
  ConnectionFigures figures() const;

  // For the Interception of this connection.
  Sandbox& sandbox() { return sandbox_; }
  const std::string& name() const { return name_; }
  std::uint16_t port() const { return to_.port; }
  int inside() const { return inside_.get(); }
  int outside() const { return outside_ ? outside_.get() : -1; }
  bool has_outside() const { return static_cast<bool>(outside_); }
  bool is_open() const { return stage_ == Stage::kOpen; }
  void refused(Reason reason, const std::string& detail);
  void count(std::uint64_t rx, std::uint64_t tx);
  void start_timer() { timer_.start(kToClassify); }
  void stop_timer() { timer_.cancel(); }
  bool timer_runs() const { return timer_.runs(); }
  void drop_outside();
  // It lives longer than one exchange: the options that this needs.
  void settle();
  // Nothing more goes to the host.
  void end_outside();
  // The last bytes to the sandbox are sent.
  void linger();
  void reset();
  void finish();
  void update();

 private:
  // One way: what was read and could not be written yet, and how far the end has come.
  struct Way {
    std::string held;
    bool blocked = false;  // the writing end is full
    bool ended = false;    // the reading end has said its last
    bool passed = false;   // and the writing end knows
  };
  enum class Stage { kOpen, kRefusing, kLingering, kDone };

  void on_ready(int fd, std::uint32_t events) override;
  // Dialling.
  void find_addresses();
  void dial(const Answer& answer);
  void dial_by_proxy(const std::string& host);
  void start_dial(std::vector<Address> addresses, std::uint16_t port,
                  std::optional<ProxyHandshake> handshake);
  void dialled(UniqueFd socket, Watch* watch, const std::string& error);
  // The client's first bytes.
  void read_first();
  void classify();
  std::string take_first();
  void check_hello(Speech speech);
  void intercept();
  void check_requests(std::string_view bytes);
  void goes_on();
  void too_slow();
  // Relaying.
  void read_requests();
  void pump_up();
  void pump_down();
  bool flush(Way& way, int to, std::uint64_t& counter);
  // False when the connection has ended over it.
  bool copy(int from, int to, Way& way, std::uint64_t& counter);
  void look_for_upgrade(std::string_view bytes);
  void find_wants();
  void count_held();
  void hold_back();
  void pass_ends();
  void rest_from_hangup(bool from_inside, std::uint32_t events);
  // Ends.
  void refuse(Denial denial);
  void refuse_http(HttpRefusal refusal);
  void say_and_end(const std::string& bytes);
  // The name leads nowhere.
  void unreachable(Reason reason, const std::string& detail);

  const std::string& shown_name() const;

  Sandbox& sandbox_;
  UniqueFd inside_, outside_;
  Endpoint to_;
  std::string name_;  // empty: a bare address
  bool blocked_name_ = false;
  Stage stage_ = Stage::kOpen;
  std::optional<Denial> denial_;
  bool classified_ = false, settled_ = false, held_back_ = false;
  std::string first_;
  std::string said_name_;  // by the client, where its address stands for no name
  ClientHelloReader hello_;
  bool is_tls_ = false;
  std::unique_ptr<Interception> opened_;
  std::optional<RequestGate> gate_;
  std::unique_ptr<HttpRequests> http_;
  std::optional<HttpRefusal> after_answers_;  // said when the server has ended
  std::string status_;                        // the first bytes of the answer to an upgrade
  Way up_, down_;
  std::uint64_t rx_ = 0, tx_ = 0, since_ms_ = 0;
  std::size_t held_ = 0;  // as it was counted
  std::shared_ptr<Resolver::Lookup> proxy_lookup_;
  std::unique_ptr<Dial> dial_;
  std::uint32_t inside_wants_ = 0, outside_wants_ = 0;
  Watch inside_watch_;
  std::optional<Watch> outside_watch_;
  Timer timer_;
};

}  // namespace atl::egress
