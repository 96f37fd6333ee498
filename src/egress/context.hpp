// What all sandboxes of one atoll-egress share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "egress/address.hpp"
#include "egress/authority.hpp"
#include "egress/events.hpp"
#include "egress/loop.hpp"
#include "egress/own_addresses.hpp"
#include "egress/proxy.hpp"
#include "egress/resolver.hpp"

namespace atl::egress {

// Of the operator; 0 bytes: no limit.
struct Limits {
  std::size_t connections = 256;  // of one sandbox
  std::uint32_t new_names_per_second = 20;
  std::uint64_t bytes_per_second = 0;  // each way
  std::uint64_t bytes = 0;             // both ways, as long as it lives
  std::size_t tenant_connections = 4096;
  std::uint64_t tenant_bytes_per_second = 0;
};

class Sandbox;

struct Context {
  static constexpr std::size_t kBuffer = 256 * 1024;

  Loop& loop;
  Resolver& resolver;
  const OwnAddresses& own;
  Events events;
  std::vector<Network> trusted;  // reachable though not public
  bool refuse_ech = false;
  bool nxdomain = false;
  Limits limits;
  // Open connections of all, and for how many there are descriptors.
  std::size_t connections = 0, capacity = SIZE_MAX;
  std::size_t tenants = 0;
  std::unordered_set<Sandbox*> waiting;  // for a connection to end
  // Bytes that connections keep because nobody takes them, and what this program may have in all.
  std::size_t held = 0, memory = SIZE_MAX;
  // How much to read at once: what cannot be passed on is kept.
  std::size_t read_size() const {
    constexpr std::size_t kLess = 16 * 1024, kLeast = 4 * 1024;
    return held < memory / 8 ? kBuffer : held < memory / 2 ? kLess : kLeast;
  }
  bool holds_much() const { return held > memory / 2 + memory / 8; }
  std::optional<Proxy> proxy;
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
