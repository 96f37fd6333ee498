// One message with descriptors over a Unix socket.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <cstring>
#include <span>

namespace atl {

inline constexpr std::size_t kMaxSentFds = 160;

// Like send(): never waits and never raises SIGPIPE; -1 and errno on failure.
inline ssize_t send_fds(int socket, const void* bytes, std::size_t size, std::span<const int> fds) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxSentFds)] = {};
  iovec part{const_cast<void*>(bytes), size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty() && fds.size() <= kMaxSentFds) {
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
