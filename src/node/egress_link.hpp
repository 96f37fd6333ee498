// The connection to atoll-egress: made when somebody needs it, and made again whenever the program
// or the connection ends. On the I/O thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "egress/client.hpp"
#include "node/egress_networks.hpp"
#include "observe/failure_streak.hpp"

namespace atl::node {

class EgressLink {
 public:
  using ClientPtr = std::shared_ptr<egress::Client>;
  // Told of each new connection, before others may use it: which sandboxes are attached there.
  using OnConnected = std::function<void(const std::vector<std::string>& attached)>;

  EgressLink(EgressOptions options, egress::Client::OnRefusals on_refusals,
             OnConnected on_connected);

  // Begins. When a program was left there by the server before this one, it is connected to at
  // once; otherwise one is started when get() asks for it.
  void start();
  // The client, when there is one by the deadline. Asking starts the program.
  async::Task<Result<ClientPtr>> get(async::Deadline deadline);
  // The one that there is now; null: none.
  const ClientPtr& now() const { return client_; }
  // It does not answer: the connection is made anew.
  void drop(const ClientPtr& client);
  async::Task<void> stop(bool end);

 private:
  async::Task<void> run();
  async::Task<Result<ClientPtr>> connect();
  async::Task<Result<std::vector<std::string>>> greet(ClientPtr client);
  async::Task<Result<void>> begin();

  EgressOptions options_;
  egress::Client::OnRefusals on_refusals_;
  OnConnected on_connected_;
  ClientPtr client_;
  bool wanted_ = false;
  std::string why_;  // the last failure
  log::FailureStreak streak_;
  async::Event changed_;
  async::TaskGroup tasks_;
};

}  // namespace atl::node
