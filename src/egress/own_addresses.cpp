#include "egress/own_addresses.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>

namespace atl::egress {

namespace {

std::optional<Address> address_in(const nlmsghdr* header) {
  auto* content = static_cast<const ifaddrmsg*>(NLMSG_DATA(header));
  auto size = static_cast<int>(IFA_PAYLOAD(header));
  for (rtattr* one = IFA_RTA(content); RTA_OK(one, size); one = RTA_NEXT(one, size)) {
    if (one->rta_type != IFA_ADDRESS && one->rta_type != IFA_LOCAL) continue;
    // On a point-to-point link IFA_ADDRESS is the other end; IFA_LOCAL, ours, comes behind it.
    bool local_follows = one->rta_type == IFA_ADDRESS && content->ifa_family == AF_INET;
    if (local_follows) continue;
    if (RTA_PAYLOAD(one) == 4) {
      std::uint32_t number = 0;
      std::memcpy(&number, RTA_DATA(one), sizeof number);
      return Address::v4(__builtin_bswap32(number));
    }
    if (RTA_PAYLOAD(one) == 16) {
      Address address;
      std::memcpy(address.bytes.data(), RTA_DATA(one), 16);
      return address;
    }
  }
  return std::nullopt;
}

}  // namespace

OwnAddresses::OwnAddresses(Group& group, UniqueFd link)
    : link_(std::move(link)), watch_(group, link_.get(), *this) {}

Result<std::unique_ptr<OwnAddresses>> OwnAddresses::open(Group& group) {
  UniqueFd link(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
  sockaddr_nl groups{.nl_family = AF_NETLINK, .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  if (!link || ::bind(link.get(), reinterpret_cast<sockaddr*>(&groups), sizeof groups) != 0) {
    return fail_errno("netlink socket");
  }
  std::unique_ptr<OwnAddresses> own(new OwnAddresses(group, std::move(link)));
  if (!own->ask()) return fail_errno("asking for addresses");
  while (own->dumping_) {
    pollfd wait{.fd = own->link_.get(), .events = POLLIN};
    if (::poll(&wait, 1, 10'000) != 1) return fail(Code::kInternal, "the kernel does not answer");
    own->read_some();
  }
  own->watch_.want(EPOLLIN);
  return own;
}

bool OwnAddresses::ask() {
  struct {
    nlmsghdr header;
    ifaddrmsg content;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETADDR;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  next_.clear();
  dumping_ = ::send(link_.get(), &request, sizeof request, 0) == sizeof request;
  changed_ = false;
  return dumping_;
}

bool OwnAddresses::read_some() {
  alignas(nlmsghdr) char bytes[32 * 1024];
  ssize_t got = ::recv(link_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && errno == ENOBUFS) return changed_ = true;
  if (got <= 0) return false;
  auto size = static_cast<unsigned>(got);
  for (auto* one = reinterpret_cast<nlmsghdr*>(bytes); NLMSG_OK(one, size);
       one = NLMSG_NEXT(one, size)) {
    if (one->nlmsg_type == NLMSG_DONE) {
      dumping_ = false;
      all_ = next_;
    } else if (one->nlmsg_type == RTM_NEWADDR) {
      std::optional<Address> address = address_in(one);
      // A new one counts at once, told by a dump or by the kernel itself.
      if (address) all_.insert(*address), next_.insert(*address);
    } else if (one->nlmsg_type == RTM_DELADDR) {
      changed_ = true;
    } else if (one->nlmsg_type == NLMSG_ERROR) {
      dumping_ = false;
    }
  }
  return true;
}

void OwnAddresses::on_ready(int, std::uint32_t) {
  for (int i = 0; i < 16 && read_some(); ++i) {
  }
  if (changed_ && !dumping_) ask();
}

}  // namespace atl::egress
