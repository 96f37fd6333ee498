// The lifecycle half of an OpenSandbox server: sandboxes made, found, renewed, paused and removed.
// Shared by the backend and its sandboxes; one I/O thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "backends/opensandbox/messages.hpp"
#include "backends/opensandbox/settings.hpp"
#include "base/result.hpp"
#include "http/client.hpp"

namespace atl::backends::opensandbox {

class Lifecycle {
 public:
  Lifecycle(async::Executor executor, Settings settings);

  const Settings& settings() const { return settings_; }

  async::Task<Result<RemoteInfo>> create(std::string body);
  async::Task<Result<RemoteInfo>> get(std::string id);
  // Those of this instance; of this sandbox only, unless that is empty. What has ended is not among
  // them.
  async::Task<Result<std::vector<RemoteInfo>>> find(std::string sandbox);
  // Gone is gone: kNotFound is no error here.
  async::Task<Result<void>> remove(std::string id);
  // Everything that carries this sandbox's id, also what a lost answer would have told of.
  async::Task<Result<void>> remove_all_of(std::string sandbox);
  async::Task<Result<void>> renew(std::string id);
  async::Task<Result<void>> pause(std::string id);
  async::Task<Result<void>> resume(std::string id);
  async::Task<Result<Endpoint>> endpoint(std::string id, int port);

 private:
  async::Task<Result<std::string>> call(http::Method method, std::string target, std::string body,
                                        std::chrono::seconds patience);

  Settings settings_;
  std::string prefix_;
  http::Client client_;
};

// "http://host:port" and "/path" of an address.
struct BaseAddress {
  std::string endpoint;
  std::string prefix;
};
BaseAddress split_address(const std::string& url);

}  // namespace atl::backends::opensandbox
