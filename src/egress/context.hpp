// What all sandboxes of one atoll-egress share.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egress/address.hpp"
#include "egress/authority.hpp"
#include "egress/events.hpp"
#include "egress/loop.hpp"
#include "egress/own_addresses.hpp"
#include "egress/resolver.hpp"

namespace atl::egress {

struct Context {
  static constexpr std::size_t kBuffer = 256 * 1024;

  Loop& loop;
  Resolver& resolver;
  const OwnAddresses& own;
  Events events;
  std::vector<Network> trusted;  // reachable though not public
  bool refuse_ech = false;
  bool nxdomain = false;
  std::size_t max_connections = 256;  // of one sandbox
  // For intercepted connections; both are there as soon as a policy needs them.
  std::optional<Authority> authority;
  std::shared_ptr<SSL_CTX> upstream;
  // Where bytes are between read and write. One for all: nobody keeps anything in it.
  std::unique_ptr<std::array<char, kBuffer>> buffer = std::make_unique<std::array<char, kBuffer>>();
  // Plain text on its way between two ends of TLS: nobody leaves anything in it.
  std::string plain;

  // Buffers for bytes that wait for a socket are reused.
  void lend_room(std::string& text) {
    if (text.capacity() > kSmall || !text.empty() || spares.empty()) return;
    text = std::move(spares.back());
    spares.pop_back();
  }
  void take_room(std::string& text) {
    if (text.capacity() <= kSmall || !text.empty()) return;
    if (spares.size() < kSpares) spares.push_back(std::move(text));
    text = {};
  }
  static constexpr std::size_t kSpares = 8, kSmall = 4 * 1024;
  std::vector<std::string> spares;
};

}  // namespace atl::egress
