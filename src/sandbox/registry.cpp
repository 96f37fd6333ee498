#include "sandbox/registry.hpp"

#include <algorithm>
#include <utility>

#include "async/event.hpp"

namespace atl::sandbox {

bool BackendEntry::has(Cap cap) const { return std::ranges::find(caps, cap) != caps.end(); }

void Registry::add(BackendEntry entry) {
  auto where = std::ranges::lower_bound(entries_, entry.name, {}, &BackendEntry::name);
  // The later one wins, so that a test can put its own in place.
  if (where != entries_.end() && where->name == entry.name)
    *where = std::move(entry);
  else
    entries_.insert(where, std::move(entry));
}

Result<const BackendEntry*> Registry::get(std::string_view name) const {
  auto found = std::ranges::find(entries_, name, &BackendEntry::name);
  if (found != entries_.end()) return &*found;
  std::string sentence = "there is no backend of that name; known are";
  for (const BackendEntry& entry : entries_) {
    sentence += &entry == &entries_.front() ? " " : ", ";
    sentence += entry.name;
  }
  if (entries_.empty()) sentence += " none";
  return fail(Code::kUnsupportedBackend, std::move(sentence));
}

std::string_view cap_name(Cap cap) {
  switch (cap) {
    case Cap::kExec: return "exec";
    case Cap::kGuest: return "guest";
    case Cap::kStdin: return "stdin";
    case Cap::kSignals: return "signals";
    case Cap::kTerminal: return "terminal";
    case Cap::kFiles: return "files";
    case Cap::kWatch: return "watch";
    case Cap::kConnect: return "connect";
    case Cap::kSnapshot: return "snapshot";
    case Cap::kUsage: return "usage";
    case Cap::kPause: return "pause";
    case Cap::kReattach: return "reattach";
    case Cap::kLimits: return "limits";
    case Cap::kFilesystemPolicy: return "filesystem_policy";
    case Cap::kMounts: return "mounts";
    case Cap::kWritableRoot: return "writable_root";
    case Cap::kNetwork: return "network";
    case Cap::kZygotes: return "zygotes";
    case Cap::kDomainLists: return "domain_lists";
    case Cap::kNetworkPolicy: return "network_policy";
  }
  return "unknown";
}

std::string_view maturity_name(Maturity maturity) {
  switch (maturity) {
    case Maturity::kStable: return "stable";
    case Maturity::kBeta: return "beta";
    case Maturity::kExperimental: return "experimental";
  }
  return "unknown";
}

async::Task<Result<void>> Backend::destroy(SandboxId id) {
  ATOLL_CO_TRY(std::unique_ptr<Sandbox> found, co_await reattach(std::move(id)));
  co_return co_await found->stop();
}

async::Task<Result<ZygoteReport>> Backend::prepare(Preload) {
  co_return fail(Code::kUnsupported, "this backend has no zygotes");
}

async::Task<void> Backend::until_lost() {
  async::Event never;
  co_await never.wait();
}

std::string_view isolation_name(IsolationKind isolation) {
  switch (isolation) {
    case IsolationKind::kNone: return "none";
    case IsolationKind::kProcess: return "process";
    case IsolationKind::kNamespaces: return "namespaces";
    case IsolationKind::kContainer: return "container";
    case IsolationKind::kMicroVm: return "microvm";
    case IsolationKind::kRemote: return "remote";
  }
  return "unknown";
}

}  // namespace atl::sandbox
