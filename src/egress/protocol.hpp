// What atoll-egress and its client say to each other: frames of a length (4 bytes, big-endian) and
// that many bytes of JSON over a Unix socket. Descriptors travel with the first byte of a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "model/network.hpp"

namespace atl::egress {

// A policy of 10,000 rules with long names fits.
inline constexpr std::size_t kMaxFrame = 16 << 20;

// Why something was refused or ended.
BOOST_DEFINE_ENUM_CLASS(Reason, kNameDenied, kPortDenied, kAddressDenied, kNotPublic, kNameMismatch,
                        kNoServerName, kMalformed, kEncryptedHello, kMethodRefused, kNotResolved,
                        kDialFailed, kTooManyNames, kTooManyQueries, kTooSlow, kPolicyChanged,
                        kBytesUsedUp,          // as many as the operator gives a sandbox
                        kSecretElsewhere,      // a placeholder went on unchanged: not for this host
                        kSecretNotInHeader,    // the same: in a URL or a body
                        kSecretInClear,        // a secret is not sent without TLS
                        kUpstreamCertificate,  // of the host: expired, self-signed, another name
                        kUpstreamTls,          // the host ended TLS otherwise
                        kClientTls,            // the program in the sandbox did
                        kOnlyHttp1)            // it wants HTTP/2, and this host is intercepted

// Of the operator. What is absent stays as it is.
struct Settings {
  std::optional<std::vector<std::string>> resolvers;  // "ADDRESS" or "ADDRESS:PORT", "[V6]:PORT"
  std::optional<bool> refuse_ech;
  std::optional<bool> nxdomain;  // refused names do not exist, instead of explaining themselves
  // Networks that every policy may reach though they are loopback, metadata services, or this
  // host's own.
  std::optional<std::vector<std::string>> trusted;
  // Limits; 0 bytes: none.
  std::optional<std::uint32_t> max_connections;  // of one sandbox
  std::optional<std::uint32_t> new_names_per_second;
  std::optional<std::uint64_t> bytes_per_second;  // each way
  std::optional<std::uint64_t> bytes;             // both ways, as long as the sandbox lives
  std::optional<std::uint32_t> tenant_connections;
  std::optional<std::uint64_t> tenant_bytes_per_second;
  // Proxy that all connections go through; it resolves their names (Proxy::parse()). Empty: none.
  std::optional<std::string> upstream;
  // The instance's authority, key and certificate (Authority::pem()). Without it no policy with
  // headers or secrets is taken.
  std::optional<std::string> authority;
  // PEM: whom intercepted connections trust besides this host's own roots.
  std::optional<std::string> roots;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (resolvers, refuse_ech, nxdomain, trusted, max_connections,
                       new_names_per_second, bytes_per_second, bytes, tenant_connections,
                       tenant_bytes_per_second, upstream, authority, roots))

// What a policy's names of secrets stand for. All that it names must be here; they are forgotten
// with the policy.
struct Secrets {
  std::map<std::string, std::string> values;        // name of the secret → base64 of its bytes
  std::map<std::string, std::string> placeholders;  // `env` → what it holds (new_placeholder())
};
BOOST_DESCRIBE_STRUCT(Secrets, (), (values, placeholders))

// Addresses of names, or of addresses, that the client has looked up itself. They may be dialled
// although they are not public, for that name only, and nobody is asked for the name.
using Pinned = std::map<std::string, std::vector<std::string>>;

struct Nothing {};
BOOST_DESCRIBE_STRUCT(Nothing, (), ())

// With two descriptors: the TCP listener and the DNS socket. A sandbox that is attached already
// gets these instead of those it had, and keeps its connections.
struct Attach {
  std::string sandbox;
  model::NetworkPolicy policy;
  std::optional<Secrets> secrets;
  std::optional<Pinned> pinned;
  std::optional<std::string> tenant;        // shares limits with the others of that name
  std::optional<std::uint64_t> used_bytes;  // by this sandbox, with a program that has died
};
BOOST_DESCRIBE_STRUCT(Attach, (), (sandbox, policy, secrets, pinned, tenant, used_bytes))

struct SetPolicy {
  std::string sandbox;
  model::NetworkPolicy policy;
  std::optional<Secrets> secrets;
  std::optional<Pinned> pinned;
};
BOOST_DESCRIBE_STRUCT(SetPolicy, (), (sandbox, policy, secrets, pinned))

struct OfSandbox {
  std::string sandbox;
};
BOOST_DESCRIBE_STRUCT(OfSandbox, (), (sandbox))

// One of the optional members.
struct Request {
  std::uint64_t id = 0;
  std::optional<Nothing> hello;
  std::optional<Attach> attach;
  std::optional<SetPolicy> set_policy;
  std::optional<OfSandbox> detach;
  std::optional<OfSandbox> figures;
  std::optional<Settings> settings;
  std::optional<Nothing> end;  // the program
};
BOOST_DESCRIBE_STRUCT(Request, (), (id, hello, attach, set_policy, detach, figures, settings, end))

struct Failure {
  std::uint16_t code = 0;  // base/error.hpp
  std::string message;
  std::optional<std::string> field;  // JSON pointer into the policy
};
BOOST_DESCRIBE_STRUCT(Failure, (), (code, message, field))

struct ConnectionFigures {
  std::string name;  // or an address
  std::uint16_t port = 0;
  std::uint64_t rx_bytes = 0, tx_bytes = 0;
  std::uint64_t since_ms = 0;  // of the wall clock
};
BOOST_DESCRIBE_STRUCT(ConnectionFigures, (), (name, port, rx_bytes, tx_bytes, since_ms))

struct Figures {
  std::vector<ConnectionFigures> connections;
  std::uint64_t rx_bytes = 0, tx_bytes = 0, opened = 0, refused = 0, names = 0;
};
BOOST_DESCRIBE_STRUCT(Figures, (), (connections, rx_bytes, tx_bytes, opened, refused, names))

struct Refusal {
  std::string sandbox;
  std::string name;        // or an address
  std::uint16_t port = 0;  // 0: the name was asked for
  Reason reason = Reason::kNameDenied;
  std::string detail;       // e.g. the address that is not public
  std::uint64_t count = 1;  // as often since the last message
};
BOOST_DESCRIBE_STRUCT(Refusal, (), (sandbox, name, port, reason, detail, count))

// The answer to a request; or, without id, what happened.
struct Reply {
  std::optional<std::uint64_t> id;
  std::optional<Failure> error;
  std::optional<std::vector<std::string>> sandboxes;  // to hello: what is attached
  std::optional<Figures> figures;
  std::optional<std::vector<Refusal>> refusals;
  std::optional<std::uint64_t> dropped;  // refusals for which there was no room
};
BOOST_DESCRIBE_STRUCT(Reply, (), (id, error, sandboxes, figures, refusals, dropped))

}  // namespace atl::egress
