// A backend makes sandboxes with one kind of walls. Reached through the Registry only.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "sandbox/sandbox.hpp"
#include "sandbox/spec.hpp"

namespace atl::sandbox {

enum class Cap {
  kExec,
  // Our own guest inside: output byte for byte, for which a program waits, programs that are found
  // again, what each of them used, contexts.
  kGuest,
  kStdin,
  kSignals,
  kTerminal,
  kFiles,
  kWatch,
  kConnect,
  kSnapshot,
  kUsage,
  kPause,
  kReattach,
  kLimits,
  kFilesystemPolicy,
  kMounts,
  kWritableRoot,   // the root can be written, and is the sandbox's own
  kNetwork,        // the outside, all of it or none
  kDomainLists,    // lets a sandbox reach the domains of a list and no others
  kNetworkPolicy,  // hands out the sockets of its sandboxes, so that ordered rules by name hold
  kZygotes,        // interpreters that are loaded ahead
};
// In the order of the table of `atoll backends`.
inline constexpr std::array kAllCaps{
    Cap::kExec,          Cap::kGuest,    Cap::kStdin,
    Cap::kSignals,       Cap::kTerminal, Cap::kFiles,
    Cap::kWatch,         Cap::kConnect,  Cap::kUsage,
    Cap::kPause,         Cap::kSnapshot, Cap::kReattach,
    Cap::kLimits,        Cap::kMounts,   Cap::kFilesystemPolicy,
    Cap::kWritableRoot,  Cap::kNetwork,  Cap::kDomainLists,
    Cap::kNetworkPolicy, Cap::kZygotes,
};
enum class Maturity { kStable, kBeta, kExperimental };
enum class IsolationKind { kNone, kProcess, kNamespaces, kContainer, kMicroVm, kRemote };

// What an interpreter that was loaded ahead of its sandboxes says of itself.
struct ZygoteReport {
  bool started = false;  // now; false: it lived already
  std::vector<std::string> loaded;
  std::map<std::string, std::string> missing;  // module to reason
};

class Backend {
 public:
  virtual ~Backend() = default;
  // The sandbox is made but not started; start() builds the walls.
  virtual async::Task<Result<std::unique_ptr<Sandbox>>> create(SandboxSpec spec) = 0;
  // A sandbox that outlived the process that made it.
  virtual async::Task<Result<std::unique_ptr<Sandbox>>> reattach(SandboxId id) = 0;
  virtual async::Task<Result<std::vector<SandboxId>>> list() = 0;
  // Ends one of them, also one that can no longer be attached to.
  virtual async::Task<Result<void>> destroy(SandboxId id);
  // Has the zygote for sandboxes with this preload list ready. Without one (kUnsupported) they
  // start their interpreters plainly.
  virtual async::Task<Result<ZygoteReport>> prepare(Preload preload);
  // Whether this object can make no more sandboxes, whatever is tried, and a wait for that moment.
  // Most backends always can.
  virtual bool is_lost() const { return false; }
  virtual async::Task<void> until_lost();
};

}  // namespace atl::sandbox
