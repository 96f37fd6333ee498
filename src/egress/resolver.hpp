// Asks resolvers outside for the addresses of a name: by UDP from a new port each time, by TCP
// where the answer does not fit. It uses dns_message.hpp
// (docs/adr/0043-egress.md says why not c-ares). It keeps nothing: sandboxes keep their answers, so
// that none learns what another one asked for.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "egress/address.hpp"
#include "egress/dns_message.hpp"
#include "egress/endpoint.hpp"
#include "egress/loop.hpp"

namespace atl::egress {

// kOk without addresses: the name exists, but has none.
struct Answer {
  static constexpr std::size_t kMaxAddresses = 16;

  dns::Status status = dns::Status::kServerFailure;
  std::vector<Address> addresses;
  std::chrono::seconds ttl{0};
  bool by_proxy = false;  // nobody has asked: the proxy will
};

class Resolver {
 public:
  static constexpr std::chrono::milliseconds kTry{2000};  // waiting for one server
  static constexpr int kRounds = 2;                       // through all servers
  static constexpr std::size_t kMaxServers = 3;

  class Lookup;  // ends what it waits for when it is destroyed
  using Then = std::function<void(Answer)>;

  explicit Resolver(Loop& loop, Group& group) : loop_(loop), group_(group) {}

  void use(std::vector<Endpoint> servers);
  // Calls `then` once, later, unless the lookup is destroyed before.
  std::shared_ptr<Lookup> look_up(std::string name, Then then);

 private:
  friend class Lookup;

  Loop& loop_;
  Group& group_;
  std::vector<Endpoint> servers_;
};

// The servers that resolv.conf text names.
std::vector<Endpoint> servers_in(std::string_view resolv_conf);

}  // namespace atl::egress
