#include "api/common/tunnel.hpp"

#include <sys/socket.h>

#include <string>
#include <utility>

#include "api/common/limits.hpp"
#include "async/stream.hpp"

namespace atl::api {

namespace {

using async::Task;

struct Tunnel {
  std::unique_ptr<sandbox::ByteStream> inside;
  async::Stream outside;
};
using TunnelPtr = std::shared_ptr<Tunnel>;

Task<void> pump_in(TunnelPtr tunnel) {
  std::string buffer(kChunk, '\0');
  for (;;) {
    Result<std::size_t> got = co_await tunnel->outside.read_some(std::span(buffer));
    if (!got || *got == 0) break;
    Result<void> written = co_await tunnel->inside->write(buffer.substr(0, *got));
    if (!written) break;
  }
  (void)co_await tunnel->inside->finish();
}

Task<void> pump_out(TunnelPtr tunnel) {
  for (;;) {
    Result<std::string> bytes = co_await tunnel->inside->read();
    if (!bytes || bytes->empty()) break;
    Result<void> written = co_await tunnel->outside.write_all(*bytes);
    if (!written) break;
  }
  tunnel->outside.shutdown_write();
}

}  // namespace

Result<UniqueFd> open_tunnel(async::Executor executor, async::TaskGroup& group,
                             std::unique_ptr<sandbox::ByteStream> inside) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail_errno("socketpair");
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  async::Stream outside(std::move(executor), std::move(ours), async::FdKind::kSocket);
  auto tunnel = std::make_shared<Tunnel>(std::move(inside), std::move(outside));
  group.spawn(pump_in(tunnel));
  group.spawn(pump_out(tunnel));
  return theirs;
}

}  // namespace atl::api
