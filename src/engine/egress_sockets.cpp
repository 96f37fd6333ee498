#include "engine/egress_sockets.hpp"

#include <linux/if.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>

namespace atl::engine {
namespace {

static_assert(std::endian::native == std::endian::little);

// Netlink messages, written by the compiler.
struct Messages {
  std::array<std::uint8_t, 1024> bytes{};
  std::size_t size = 0, message = 0;

  consteval void put(std::initializer_list<std::uint8_t> more) {
    for (std::uint8_t byte : more) bytes[size++] = byte;
  }
  consteval void set16(std::size_t at, std::size_t value) {
    bytes[at] = static_cast<std::uint8_t>(value);
    bytes[at + 1] = static_cast<std::uint8_t>(value >> 8);
  }
  consteval void begin(unsigned type, unsigned flags, std::initializer_list<std::uint8_t> header) {
    message = size;
    size += sizeof(nlmsghdr);
    set16(message + offsetof(nlmsghdr, nlmsg_type), type);
    set16(message + offsetof(nlmsghdr, nlmsg_flags), NLM_F_REQUEST | flags);
    put(header);
    set16(message, size - message);
  }
  consteval std::size_t open(unsigned type) {
    set16(size + 2, type);
    return std::exchange(size, size + sizeof(nlattr));
  }
  consteval void close(std::size_t at) {
    set16(at, size - at);
    size = (size + 3) / 4 * 4;
    set16(message, size - message);
  }
  consteval void attr(unsigned type, std::initializer_list<std::uint8_t> value) {
    std::size_t at = open(type);
    put(value);
    close(at);
  }
  consteval void text(unsigned type, std::string_view value) {
    std::size_t at = open(type);
    for (char c : value) put({static_cast<std::uint8_t>(c)});
    put({0});
    close(at);
  }
  consteval void number(unsigned type, std::uint8_t value) { attr(type, {0, 0, 0, value}); }

  // Expressions of a rule; everything goes through register 1.
  consteval void expression(std::string_view name, auto write) {
    std::size_t element = open(NFTA_LIST_ELEM | NLA_F_NESTED);
    text(NFTA_EXPR_NAME, name);
    std::size_t data = open(NFTA_EXPR_DATA | NLA_F_NESTED);
    write();
    close(data);
    close(element);
  }
  consteval void data(unsigned type, std::initializer_list<std::uint8_t> value) {
    std::size_t at = open(type | NLA_F_NESTED);
    attr(NFTA_DATA_VALUE, value);
    close(at);
  }
  consteval void compare(nft_cmp_ops op, std::initializer_list<std::uint8_t> value) {
    expression("cmp", [&] {
      number(NFTA_CMP_SREG, NFT_REG_1);
      number(NFTA_CMP_OP, op);
      data(NFTA_CMP_DATA, value);
    });
  }
  consteval void meta_is(nft_meta_keys key, std::uint8_t value) {
    expression("meta", [&] {
      number(NFTA_META_KEY, key);
      number(NFTA_META_DREG, NFT_REG_1);
    });
    compare(NFT_CMP_EQ, {value});
  }
  consteval void goes_not_to(std::uint8_t offset, std::initializer_list<std::uint8_t> address) {
    expression("payload", [&] {
      number(NFTA_PAYLOAD_DREG, NFT_REG_1);
      number(NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
      number(NFTA_PAYLOAD_OFFSET, offset);
      number(NFTA_PAYLOAD_LEN, static_cast<std::uint8_t>(address.size()));
    });
    compare(NFT_CMP_NEQ, address);
  }
  consteval void tproxy_to_port_1() {
    expression("immediate", [&] {
      number(NFTA_IMMEDIATE_DREG, NFT_REG_1);
      data(NFTA_IMMEDIATE_DATA, {0, 1});
    });
    expression("tproxy", [&] {
      number(NFTA_TPROXY_FAMILY, 0);
      number(NFTA_TPROXY_REG_PORT, NFT_REG_1);
    });
  }
};

// lo up; 198.18.0.1 on it: glibc asks for IPv4 addresses only where there is one besides loopback;
// all addresses are local. That of IPv6 comes last because its error does not count.
consteval Messages routes() {
  Messages all;
  all.begin(RTM_NEWLINK, NLM_F_ACK, {0, 0, 0, 0, 1, 0, 0, 0, IFF_UP, 0, 0, 0, IFF_UP, 0, 0, 0});
  all.begin(RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, {AF_INET, 32, 0, 0, 1, 0, 0, 0});
  all.attr(IFA_LOCAL, {198, 18, 0, 1});
  // Without the source a connection to an ephemeral port could meet itself.
  all.begin(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE,
            {AF_INET, 0, 0, 0, RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL, 0, 0, 0, 0});
  all.attr(RTA_OIF, {1, 0, 0, 0});
  all.attr(RTA_PREFSRC, {198, 18, 0, 1});
  all.begin(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE,
            {AF_INET6, 0, 0, 0, RT_TABLE_LOCAL, RTPROT_BOOT, 0, RTN_LOCAL, 0, 0, 0, 0});
  all.attr(RTA_OIF, {1, 0, 0, 0});
  return all;
}

// table inet a { chain p { type filter hook prerouting priority mangle
//   meta l4proto tcp ip daddr != 127.0.0.0/8 ip daddr != 198.18.0.1 tproxy to :1
//   meta l4proto tcp ip6 daddr != ::1 tproxy to :1 } }
consteval Messages rules() {
  constexpr unsigned kNft = NFNL_SUBSYS_NFTABLES << 8;
  constexpr unsigned kMake = NLM_F_ACK | NLM_F_CREATE;
  Messages all;
  all.begin(NFNL_MSG_BATCH_BEGIN, 0, {AF_UNSPEC, NFNETLINK_V0, 0, NFNL_SUBSYS_NFTABLES});
  all.begin(kNft | NFT_MSG_NEWTABLE, kMake | NLM_F_EXCL, {1, NFNETLINK_V0, 0, 0});
  all.text(NFTA_TABLE_NAME, "a");
  all.begin(kNft | NFT_MSG_NEWCHAIN, kMake, {1, NFNETLINK_V0, 0, 0});
  all.text(NFTA_CHAIN_TABLE, "a");
  all.text(NFTA_CHAIN_NAME, "p");
  std::size_t hook = all.open(NFTA_CHAIN_HOOK | NLA_F_NESTED);
  all.number(NFTA_HOOK_HOOKNUM, 0);
  all.attr(NFTA_HOOK_PRIORITY, {0xff, 0xff, 0xff, 0x6a});  // -150
  all.close(hook);
  all.text(NFTA_CHAIN_TYPE, "filter");
  for (bool four : {true, false}) {
    all.begin(kNft | NFT_MSG_NEWRULE, kMake | NLM_F_APPEND, {1, NFNETLINK_V0, 0, 0});
    all.text(NFTA_RULE_TABLE, "a");
    all.text(NFTA_RULE_CHAIN, "p");
    std::size_t list = all.open(NFTA_RULE_EXPRESSIONS | NLA_F_NESTED);
    all.meta_is(NFT_META_NFPROTO, four ? AF_INET : AF_INET6);
    all.meta_is(NFT_META_L4PROTO, IPPROTO_TCP);
    if (four) {
      all.goes_not_to(16, {127});
      all.goes_not_to(16, {198, 18, 0, 1});
    } else {
      all.goes_not_to(24, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    }
    all.tproxy_to_port_1();
    all.close(list);
  }
  all.begin(NFNL_MSG_BATCH_END, 0, {AF_UNSPEC, NFNETLINK_V0, 0, NFNL_SUBSYS_NFTABLES});
  return all;
}

constexpr Messages kRoutes = routes(), kRules = rules();
static_assert(kRoutes.size == 144 && kRules.size == 996);  // as tried out by hand

// 0 when the first `needed` of `acks` messages worked. A batch that fails is answered once, so the
// first error ends it; and one that nobody answers must not hang.
int send_messages(int family, const Messages& all, int acks, int needed) {
  UniqueFd link(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family));
  timeval most{.tv_sec = 10};
  if (!link || ::setsockopt(link.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) != 0 ||
      ::send(link.get(), all.bytes.data(), all.size, 0) < 0) {
    return errno;
  }
  for (int seen = 0; seen < acks;) {
    alignas(nlmsghdr) char answer[4096];
    ssize_t got = ::recv(link.get(), answer, sizeof answer, 0);
    if (got < 0) return errno;
    for (auto rest = static_cast<unsigned>(got), at = 0u; rest >= sizeof(nlmsghdr) + sizeof(int);) {
      nlmsghdr header;
      int error = 0;
      std::memcpy(&header, answer + at, sizeof header);
      std::memcpy(&error, answer + at + sizeof header, sizeof error);
      if (header.nlmsg_type != NLMSG_ERROR || header.nlmsg_len > rest) return EPROTO;
      if (error != 0 && seen < needed) return -error;
      ++seen;
      at += NLMSG_ALIGN(header.nlmsg_len);
      rest -= std::min(rest, static_cast<unsigned>(NLMSG_ALIGN(header.nlmsg_len)));
    }
  }
  return 0;
}

bool open_socket(UniqueFd& into, int type, std::uint16_t port, int option) {
  constexpr int kOff = 0, kOn = 1;
  into.reset(::socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in6 any{.sin6_family = AF_INET6, .sin6_port = htons(port)};
  return into && ::setsockopt(into.get(), IPPROTO_IPV6, IPV6_V6ONLY, &kOff, sizeof kOff) == 0 &&
         ::setsockopt(into.get(), IPPROTO_IPV6, option, &kOn, sizeof kOn) == 0 &&
         ::bind(into.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0;
}

}  // namespace

// Rules first: where the kernel has none nothing has changed, and there is no network.
int route_to_egress() noexcept {
  int error = send_messages(NETLINK_NETFILTER, kRules, 4, 4);
  if (error != 0 && error != EEXIST) return error;
  return send_messages(NETLINK_ROUTE, kRoutes, 4, 3);
}

bool make_egress_sockets(UniqueFd& listener, UniqueFd& dns) noexcept {
  constexpr int kTransparent = 75;  // IPV6_TRANSPARENT: nft_tproxy delivers to no other listener
  constexpr int kBacklog = 4096;
  // Ports below 1024: user code can neither bind nor block them.
  return open_socket(listener, SOCK_STREAM, 1, kTransparent) &&
         ::listen(listener.get(), kBacklog) == 0 &&
         open_socket(dns, SOCK_DGRAM, 53, IPV6_RECVPKTINFO);
}

}  // namespace atl::engine
