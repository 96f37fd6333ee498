#include "engine/zygote.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/send_fds.hpp"
#include "engine/box.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

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

bool has_ended(const UniqueFd& pidfd) {
  pollfd end{pidfd.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) != 0;
}

}  // namespace

Zygote* Zygotes::find(const ZygoteKey& key) {
  std::erase_if(known_, [](const Zygote& zygote) {
    return has_ended(zygote.keeper) || !zygote.connection || has_ended(zygote.connection);
  });
  auto is = [&](const Zygote& zygote) { return bytes_of(zygote.key) == bytes_of(key); };
  auto found = std::ranges::find_if(known_, is);
  bool usable = found != known_.end() && !distrusted_.contains(found->uid);
  return usable ? &*found : nullptr;
}

// No zygote has the uid of an earlier one.
void Zygotes::add(Zygote found) {
  (void)find(found.key);
  if (!std::ranges::contains(known_, found.uid, &Zygote::uid)) known_.push_back(std::move(found));
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

Outcome<Helper> order_zygote(const LauncherState& state, const ZygoteKey& key,
                             const UniqueFd& report) {
  const ZygoteParts& parts = state.zygote_parts;
  bool complete = parts.program && parts.driver && parts.library;
  // Without cgroups nothing would bound it. Rootless there are no parts.
  if (!state.cgroups.available() || !complete) return failed(Step::kZygote, EOPNOTSUPP);
  ZygoteOrder order{.key = key, .find_only = report ? 0u : 1u};
  const UniqueFd& word = report ? report : parts.driver;
  const int given[] = {
      word.get(),          state.shared.get(), state.host_mounts.get(), state.host_template.get(),
      parts.library.get(), parts.driver.get()};
  return start_helper(Step::kZygote, parts.program, "atoll-zygote", bytes_of(order), given);
}

Outcome<bool> receive_zygote(LauncherState& state, const Helper& helper, const ZygoteKey& key) {
  ZygoteAnswer answer;
  std::vector<UniqueFd> parts;
  ssize_t size = receive_fds(helper.socket.get(), bytes_at(answer), parts);
  if (size != sizeof answer) return failed(Step::kZygote, EIO);
  if (answer.failure.step != Step::kNone) return std::unexpected(answer.failure);
  if (parts.size() == 2) {
    state.zygotes.add({.key = key,
                       .place = answer.place,
                       .uid = answer.uid,
                       .keeper = std::move(parts[0]),
                       .connection = std::move(parts[1])});
  }
  return answer.started != 0;
}

}  // namespace atl::engine
