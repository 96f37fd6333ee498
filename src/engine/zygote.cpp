#include "engine/zygote.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/send_fds.hpp"
#include "engine/box.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

UniqueFd connect_to(const UniqueFd& shared, unsigned place) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  Text path("/proc/self/fd/%d/zygotes/%u.sock", shared.get(), place);
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (!socket ||
      ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  return socket;
}

// As zygote.py reads it.
struct Introduction {
  std::uint32_t magic = 0x47595a41;  // "AZYG"
  std::uint32_t version = 2;
  std::uint32_t user_uid = 0;
  std::uint32_t user_gid = 0;
  std::uint32_t open_files = 0;
  std::uint32_t reserved = 0;
  std::uint64_t data_bytes = 0;
};

// Who has locked a place; 0: nobody.
pid_t holder(const UniqueFd& file) {
  struct flock lock{.l_type = F_WRLCK, .l_whence = SEEK_SET};
  bool asked = ::fcntl(file.get(), F_GETLK, &lock) == 0;
  return asked && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

bool has_ended(const UniqueFd& pidfd) {
  pollfd end{pidfd.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) != 0;
}

}  // namespace

bool Zygotes::look_at(unsigned place, std::uint64_t driver, const ZygoteKey& key, Zygote& found) {
  UniqueFd file = open_at(shared_.get(), Text("zygotes/%u", place).c_str());
  ZygotePlace tenant;
  pid_t keeper = file ? holder(file) : 0;
  if (keeper <= 0 || ::pread(file.get(), &tenant, sizeof tenant, 0) != sizeof tenant ||
      !tenant.is(key, driver)) {
    return false;
  }
  found.place = place;
  found.uid = tenant.uid;
  found.key = key;
  found.keeper.reset(static_cast<int>(::syscall(SYS_pidfd_open, keeper, 0)));
  found.connection = connect_to(shared_, place);
  // The pidfd is taken first: if the lock is still his, it is the right process.
  return found.keeper && found.connection && holder(file) == keeper;
}

Zygote* Zygotes::find(const ZygoteParts& parts, const ZygoteKey& key) {
  std::erase_if(known_, [](const Zygote& zygote) {
    bool left = !zygote.connection || has_ended(zygote.connection);
    return has_ended(zygote.keeper) || (left && !zygote.distrusted);
  });
  for (Zygote& zygote : known_) {
    if (std::memcmp(&zygote.key, &key, sizeof key) != 0) continue;
    return zygote.distrusted ? nullptr : &zygote;
  }
  std::uint64_t driver = parts.stamp();
  for (unsigned place = 0; place < kMaxZygotes; ++place) {
    Zygote found;
    if (look_at(place, driver, key, found)) return &known_.emplace_back(std::move(found));
  }
  return nullptr;
}

void Zygotes::distrust(uid_t uid) {
  for (Zygote& zygote : known_) zygote.distrusted |= zygote.uid == uid;
}

bool introduce(Zygote& zygote, const UniqueFd& its_end, const BoxPlan& plan) {
  Introduction words{.user_uid = plan.user_uid,
                     .user_gid = plan.user_uid,
                     .open_files = plan.request.limits.open_files};
  const int fds[] = {its_end.get()};
  bool sent = send_fds(zygote.connection.get(), &words, sizeof words, fds) > 0;
  if (!sent) zygote.connection.reset();
  return sent;
}

Outcome<Helper> start_zygote(const LauncherState& state, const ZygoteKey& key,
                             const UniqueFd& report) {
  const ZygoteParts& parts = state.zygote_parts;
  bool complete = parts.program && parts.driver && parts.library;
  // Without cgroups nothing would bound it. Rootless there are no parts.
  if (!state.cgroups.available() || !complete) return failed(Step::kZygote, EOPNOTSUPP);
  const int given[] = {
      report.get(),        state.shared.get(), state.host_mounts.get(), state.host_template.get(),
      parts.library.get(), parts.driver.get()};
  return start_helper(Step::kZygote, parts.program, "atoll-zygote", bytes_of(key), given);
}

}  // namespace atl::engine
