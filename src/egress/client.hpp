// The typed client of atoll-egress's control protocol. One I/O thread. Requests may be made at the
// same time; each waits for its own answer. When the connection ends, all of them fail with
// kBackend, and a new client connects to the same path.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "async/deadline.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "egress/protocol.hpp"

namespace atl::egress {

class Client {
 public:
  // Called from the I/O thread: refusals, and how many more were dropped.
  using OnRefusals = std::function<void(const std::vector<Refusal>&, std::uint64_t dropped)>;

  static async::Task<Result<std::unique_ptr<Client>>> connect(async::Executor executor,
                                                              std::string path,
                                                              OnRefusals on_refusals,
                                                              async::Deadline deadline);
  explicit Client(async::Executor executor, UniqueFd socket, OnRefusals on_refusals);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  // Which sandboxes are attached.
  async::Task<Result<std::vector<std::string>>> hello();
  // `secrets` has all that the policy names. kInvalidValue with a pointer into the policy
  // (base/field_error.hpp) for what is wrong with either.
  async::Task<Result<void>> attach(Attach attach, UniqueFd listener, UniqueFd dns);
  async::Task<Result<void>> set_policy(std::string sandbox, model::NetworkPolicy policy,
                                       Secrets secrets = {}, Pinned pinned = {});
  async::Task<Result<void>> detach(std::string sandbox);
  async::Task<Result<Figures>> figures(std::string sandbox);
  // Settings are forgotten when the program crashes: to be said after every connect, and before
  // attach() where the policy has headers or secrets.
  async::Task<Result<void>> apply(Settings settings);
  // Ends the program.
  async::Task<Result<void>> end();
  // Pending requests fail, and so do all later ones.
  void close();
  bool is_closed() const;
  // Until the connection has ended.
  async::Task<void> wait_closed();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace atl::egress
