// The guest itself: accepts hosts, lets one authenticated host in at a time, turns the loop.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "guest/connection.hpp"
#include "guest/executions.hpp"
#include "guest/loop.hpp"
#include "guest/protocol.hpp"
#include "guest/zygote.hpp"

namespace atl::guest {

std::uint64_t now_ns();  // monotonic

class Server final : public Pollable {
 public:
  // `task_fds` and `null_fd` are owned by the process for its whole life.
  Server(const GuestConfig& config, std::vector<int> task_fds, int null_fd);

  // A listening socket: hosts come and go, or the first one's end is the guest's end.
  void listen(UniqueFd socket, bool once = false);
  void serve(UniqueFd in, UniqueFd out);  // one stream: its end is the guest's end
  int run();

  const GuestConfig& config() const { return config_; }
  const std::vector<int>& task_fds() const { return task_fds_; }
  // What programs find in their environment unless their request says otherwise.
  void set_environment(const char* const* variables);
  const std::vector<std::string>& environment() const { return environment_; }
  int null_fd() const { return null_fd_; }
  UniqueFd& zygote() { return zygote_; }  // none: the sandbox has none, or none any more
  Parked& parked() { return parked_; }
  std::uint64_t boot_id() const { return boot_id_; }
  Loop& loop() { return loop_; }
  Executions& executions() { return executions_; }
  // Numbers the authenticated connections, to tell an older host from the present one.
  std::uint64_t connection_serial() const { return serial_; }
  void authenticated(Connection& connection);

  void on_events(std::uint32_t events) override;  // somebody wants to connect

 private:
  // SIGCHLD and SIGTERM arrive as bytes.
  struct Signals final : Pollable {
    explicit Signals(Server& owner) : server(owner) {}
    void on_events(std::uint32_t events) override;
    Server& server;
    UniqueFd fd;
  };

  void open_signals();
  std::uint64_t refill(std::uint64_t now_ns);
  int timeout_ms();
  void drop_closed();

  GuestConfig config_;
  std::vector<int> task_fds_;
  std::vector<std::string> environment_;
  int null_fd_;
  UniqueFd zygote_;
  Parked parked_;
  std::uint64_t quiet_since_ns_ = 0;
  std::uint64_t boot_id_;
  std::uint64_t serial_ = 0;
  bool single_stream_ = false;
  bool stopping_ = false;
  Loop loop_;
  Signals signals_{*this};
  Executions executions_{*this};
  UniqueFd listener_;
  std::list<Connection> connections_;  // dies before the executions that its channels point to
};

}  // namespace atl::guest
