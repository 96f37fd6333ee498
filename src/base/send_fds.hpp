// One message with descriptors over a Unix socket.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>

namespace atl {

inline constexpr std::size_t kMaxSentFds = 160;

// Like send(): never waits and never raises SIGPIPE; -1 and errno on failure, which is E2BIG for
// more than kMaxSentFds: nothing is sent then.
inline ssize_t send_fds(int socket, const void* bytes, std::size_t size, std::span<const int> fds) {
  if (fds.size() > kMaxSentFds) return errno = E2BIG, -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxSentFds)] = {};
  iovec part{const_cast<void*>(bytes), size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    // The C libraries disagree on the type of these two lengths.
    message.msg_controllen =
        static_cast<decltype(message.msg_controllen)>(CMSG_SPACE(fds.size_bytes()));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = static_cast<decltype(header->cmsg_len)>(CMSG_LEN(fds.size_bytes()));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace atl
