// The sockets of a sandbox's network: what programs send to any address arrives there, and without
// them there is no network.
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "async/stream.hpp"
#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;

// Says how a connection went: the error's name, or what the other side wrote.
constexpr const char* kConnect = R"(
import errno, socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
with socket.socket(family) as s:
    s.settimeout(60)
    try:
        s.connect((sys.argv[1], int(sys.argv[2])))
        print(s.recv(100).decode())
    except OSError as error:
        print(errno.errorcode.get(error.errno, error))
)";
constexpr const char* kAsk = R"(
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.settimeout(60)
    s.sendto(b"question", ("8.8.8.8", 53))
    print(*s.recvfrom(100))
)";
// Its own servers are not egress's business.
constexpr const char* kOwnServer = R"(
import socket
for port, address in ((8080, "127.0.0.1"), (8081, "198.18.0.1")):
    with socket.create_server(("0.0.0.0", port)) as server:
        with socket.create_connection((address, port)):
            print(server.accept()[0].getsockname()[0])
)";

Task<Result<std::unique_ptr<Process>>> connect(Sandbox* sandbox, std::string address,
                                               std::string port) {
  ExecRequest request{.argv = {"python3", "-c", kConnect, std::move(address), std::move(port)}};
  co_return co_await sandbox->spawn(std::move(request));
}

Task<Result<std::string>> connected(Sandbox* sandbox, std::string address, std::string port) {
  ATOLL_CO_TRY(auto process, co_await connect(sandbox, std::move(address), std::move(port)));
  ATOLL_CO_TRY(ExecResult result, co_await collect(process.get()));
  co_return result.output;
}

// A descriptor of its own to wait with.
Task<Result<void>> readable(const UniqueFd* socket) {
  async::Executor executor = co_await boost::asio::this_coro::executor;
  async::Stream waiting(executor, UniqueFd(::dup(socket->get())), async::FdKind::kSocket);
  co_return co_await waiting.readable();
}

struct Meant {
  std::array<std::uint8_t, 16> address{};
  int port = 0;
};

// Takes the next connection, says where it was meant to go, and answers it.
Task<Result<Meant>> accept_one(const UniqueFd* listener) {
  ATOLL_CO_CHECK(co_await readable(listener));
  UniqueFd accepted(::accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
  sockaddr_in6 own{};
  socklen_t size = sizeof own;
  if (!accepted || ::getsockname(accepted.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    co_return fail_errno("accept");
  }
  if (::send(accepted.get(), "seen", 4, MSG_NOSIGNAL) != 4) co_return fail_errno("send");
  Meant meant{.port = ntohs(own.sin6_port)};
  std::memcpy(meant.address.data(), &own.sin6_addr, meant.address.size());
  co_return meant;
}

// Takes one datagram and answers from the address that it was sent to.
Task<Result<std::string>> answer_one(const UniqueFd* dns) {
  ATOLL_CO_CHECK(co_await readable(dns));
  std::array<char, 512> bytes{};
  alignas(cmsghdr) std::array<char, 256> control{};
  sockaddr_in6 from{};
  iovec part{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_name = &from;
  message.msg_namelen = sizeof from;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = ::recvmsg(dns->get(), &message, 0);
  if (got < 0) co_return fail_errno("recvmsg");
  std::string question(bytes.data(), static_cast<std::size_t>(got));
  std::memcpy(bytes.data(), "answer", 6);
  part.iov_len = 6;
  if (::sendmsg(dns->get(), &message, MSG_NOSIGNAL) != 6) co_return fail_errno("sendmsg");
  co_return question;
}

constexpr std::array<std::uint8_t, 16> kFour{0, 0, 0,    0,    0,   0, 0,   0,
                                             0, 0, 0xff, 0xff, 203, 0, 113, 7};
constexpr std::array<std::uint8_t, 16> kSix{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};

Task<void> reach(Box* box, const UniqueFd* listener, std::string address,
                 const std::array<std::uint8_t, 16>* expected) {
  ATOLL_NEED(std::unique_ptr<Process> client,
             co_await connect(box->sandbox.get(), address, "4321"));
  ATOLL_NEED(Meant meant, co_await accept_one(listener));
  EXPECT_EQ(meant.address, *expected) << address;
  EXPECT_EQ(meant.port, 4321);
  ATOLL_NEED(ExecResult result, co_await collect(client.get()));
  EXPECT_EQ(result.output, "seen\n");
}

bool filtered(const Box& box) {
  Status status = box.sandbox->status();
  const std::vector<std::string>& layers = status.isolation.layers;
  return std::ranges::find(layers, "egress_filtered") != layers.end();
}

Task<void> sockets_of_its_network(Box* box) {
  Sandbox* sandbox = box->sandbox.get();
  ATOLL_NEED(std::string before, co_await connected(sandbox, "203.0.113.7", "4321"));
  EXPECT_EQ(before, "ENETUNREACH\n");
  EXPECT_FALSE(filtered(*box));
  ATOLL_NEED(EgressSockets sockets, co_await sandbox->open_egress());
  EXPECT_TRUE(filtered(*box));
  co_await reach(box, &sockets.listener, "203.0.113.7", &kFour);
  co_await reach(box, &sockets.listener, "2001:db8::7", &kSix);
  ATOLL_NEED(std::unique_ptr<Process> asking,
             co_await sandbox->spawn({.argv = {"python3", "-c", kAsk}}));
  ATOLL_NEED(std::string question, co_await answer_one(&sockets.dns));
  EXPECT_EQ(question, "question");
  ATOLL_NEED(ExecResult answered, co_await collect(asking.get()));
  EXPECT_EQ(answered.output, "b'answer' ('8.8.8.8', 53)\n");
  ATOLL_NEED(ExecResult own, co_await sandbox->exec({.argv = {"python3", "-c", kOwnServer}}));
  EXPECT_EQ(own.output, "127.0.0.1\n198.18.0.1\n");
}
TEST_P(Conformance, HandsOutTheSocketsOfItsNetwork) {
  run(&sockets_of_its_network, {Cap::kNetworkPolicy});
}

// As after a crash of whoever held them: refused at once, and then others serve.
Task<void> new_sockets(Box* box) {
  Sandbox* sandbox = box->sandbox.get();
  ATOLL_NEED(EgressSockets first, co_await sandbox->open_egress());
  first = {};
  ATOLL_NEED(std::string between, co_await connected(sandbox, "203.0.113.7", "4321"));
  EXPECT_EQ(between, "ECONNREFUSED\n");
  ATOLL_NEED(EgressSockets second, co_await sandbox->open_egress());
  co_await reach(box, &second.listener, "203.0.113.7", &kFour);
}
TEST_P(Conformance, HandsOutNewSocketsOfItsNetwork) { run(&new_sockets, {Cap::kNetworkPolicy}); }

// Whoever finds it again knows that it has a network, and may have the sockets.
Task<void> found_again(Box* box) {
  ATOLL_NEED(EgressSockets first, co_await box->sandbox->open_egress());
  first = {};
  ATOLL_NEED(box->sandbox,
             co_await box->target->crash_and_reattach(&box->backend, std::move(box->sandbox)));
  EXPECT_TRUE(filtered(*box));
  ATOLL_NEED(EgressSockets second, co_await box->sandbox->open_egress());
  co_await reach(box, &second.listener, "203.0.113.7", &kFour);
}
TEST_P(Conformance, HandsOutTheSocketsAfterACrash) {
  run(&found_again, {Cap::kNetworkPolicy, Cap::kReattach});
}

}  // namespace
}  // namespace atl::sandbox
