#include "backends/docker/network_opener.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "async/deadline.hpp"
#include "async/stream.hpp"
#include "backends/docker/container.hpp"
#include "base/rollback.hpp"

namespace atl::backends::docker {

using async::Task;
using http::Method;

namespace {

constexpr std::chrono::seconds kPatience{30};

// What the other container is: our program with two capabilities, and nothing else.
Json opener_body(const Shared& shared, const NetworkPlace& place, const std::string& container,
                 std::string image) {
  using boost::json::array, boost::json::object;
  auto mounted = [](const std::string& source, const char* target, bool read_only) {
    return object{
        {"Type", "bind"}, {"Source", source}, {"Target", target}, {"ReadOnly", read_only}};
  };
  object host{{"NetworkMode", "container:" + container},
              {"ReadonlyRootfs", true},
              {"SecurityOpt", array{"no-new-privileges"}},
              {"CapDrop", array{"ALL"}},
              {"CapAdd", array{"NET_ADMIN", "NET_BIND_SERVICE"}},
              {"Init", false},
              {"AutoRemove", true},
              {"IpcMode", "private"},
              {"LogConfig", object{{"Type", "none"}}},
              {"Mounts", array{mounted(shared.net_program, "/opt/atoll/net", true),
                               mounted(place.folder, "/run/atoll", false)}}};
  return object{{"Image", std::move(image)},
                {"User", "0:0"},
                {"WorkingDir", "/"},
                {"Entrypoint", array{"/opt/atoll/net", "/run/atoll/net.sock"}},
                {"Cmd", array{}},
                {"Env", array{}},
                {"Healthcheck", object{{"Test", array{"NONE"}}}},
                {"Labels", object{{kInstanceLabel, shared.instance}}},
                {"HostConfig", std::move(host)}};
}

std::unexpected<Error> no_network(int error) {
  if (error == ENOENT || error == EOPNOTSUPP || error == EPROTONOSUPPORT) {
    return fail(Error(Code::kHostUnsupported,
                      "the kernel of the Docker engine cannot filter a network (nft_tproxy)",
                      error));
  }
  if (error == EADDRINUSE) {
    return fail(Error(Code::kConflict,
                      "a program in the sandbox has taken the ports of its network", error));
  }
  return fail(Error(Code::kBackend, "the network of the container cannot be opened", error));
}

Result<sandbox::EgressSockets> receive(const UniqueFd& link) {
  std::int32_t error = EPROTO;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 2)> control{};
  iovec part{&error, sizeof error};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = ::recvmsg(link.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0) return fail_errno("opening the network of a container");
  sandbox::EgressSockets sockets;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
    std::array<int, 2> fds{-1, -1};
    std::memcpy(fds.data(), CMSG_DATA(head), std::min(head->cmsg_len - CMSG_LEN(0), sizeof fds));
    sockets.listener.reset(fds[0]);
    sockets.dns.reset(fds[1]);
  }
  if (got != sizeof error) return no_network(EPROTO);
  if (error != 0) return no_network(error);
  if (!sockets.listener || !sockets.dns) return no_network(EPROTO);
  return sockets;
}

Task<Result<sandbox::EgressSockets>> take_sockets(async::Stream* listener,
                                                  async::Executor executor) {
  ATOLL_CO_CHECK(co_await listener->readable());
  UniqueFd accepted(
      ::accept4(listener->fd().get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!accepted) co_return fail_errno("accepting the sockets of a container");
  async::Stream link(std::move(executor), std::move(accepted), async::FdKind::kSocket);
  ATOLL_CO_CHECK(co_await link.readable());
  co_return receive(link.fd());
}

}  // namespace

Task<Result<sandbox::EgressSockets>> open_network(std::shared_ptr<Shared> shared, SandboxId id,
                                                  std::string container, std::string image) {
  ATOLL_CO_TRY(NetworkPlace place, shared->places.make_network(id));
  ++shared->looks_begun;
  Rollback over;
  over.add([shared, id] {
    shared->places.remove_network(id);
    ++shared->looks_over;
  });
  async::Executor executor = shared->executor;
  async::Stream listener(executor, std::move(place.listener), async::FdKind::kSocket);
  ATOLL_CO_TRY(Json made,
               co_await shared->engine.call(Method::kPost, "/containers/create",
                                            opener_body(*shared, place, container, image)));
  std::string opener = "/containers/" + text_at(made, "/Id");
  Result<Json> started = co_await shared->engine.call(Method::kPost, opener + "/start");
  Result<sandbox::EgressSockets> sockets = fail(Code::kBackend, "not started");
  if (started) {
    sockets = co_await async::with_deadline(take_sockets(&listener, executor),
                                            async::deadline_in(kPatience), Code::kCreateTimeout,
                                            "the container that opens a network does not answer");
  } else {
    sockets = fail(started.error());
  }
  // It removes itself when it has started; after a failure it may be there still.
  if (!sockets) (void)co_await shared->engine.call(Method::kDelete, opener + "?force=1&v=1");
  co_return sockets;
}

}  // namespace atl::backends::docker
