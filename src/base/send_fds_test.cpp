#include "base/send_fds.hpp"

#include <unistd.h>

#include <vector>

#include <gtest/gtest.h>

#include "base/unique_fd.hpp"

namespace atl {
namespace {

struct Ends {
  Ends() {
    int both[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both), 0);
    one.reset(both[0]);
    other.reset(both[1]);
  }
  UniqueFd one, other;
};

// Descriptors that came with the next message; -1: there is no message.
int received(const Ends& ends) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 253)] = {};
  char byte = 0;
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(ends.other.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0) return -1;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) return 0;
  std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
    ::close(fd);
  }
  return static_cast<int>(count);
}

TEST(SendFds, SendsAsManyAsItMay) {
  Ends ends;
  EXPECT_EQ(send_fds(ends.one.get(), "x", 1, {}), 1);
  EXPECT_EQ(received(ends), 0);
  std::vector<int> fds(kMaxSentFds, STDERR_FILENO);
  EXPECT_EQ(send_fds(ends.one.get(), "x", 1, fds), 1);
  EXPECT_EQ(received(ends), static_cast<int>(kMaxSentFds));
}

TEST(SendFds, RefusesMore) {
  Ends ends;
  std::vector<int> fds(kMaxSentFds + 1, STDERR_FILENO);
  errno = 0;
  EXPECT_EQ(send_fds(ends.one.get(), "x", 1, fds), -1);
  EXPECT_EQ(errno, E2BIG);
  EXPECT_EQ(received(ends), -1) << "a message without its descriptors was sent";
}

}  // namespace
}  // namespace atl
