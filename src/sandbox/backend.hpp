// A backend makes sandboxes with one kind of walls. Reached through the Registry only.
#pragma once

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
};
enum class Maturity { kStable, kBeta, kExperimental };
enum class IsolationKind { kNone, kProcess, kNamespaces, kContainer, kMicroVm, kRemote };

class Backend {
 public:
  virtual ~Backend() = default;
  // The sandbox is made but not started; start() builds the walls.
  virtual async::Task<Result<std::unique_ptr<Sandbox>>> create(SandboxSpec spec) = 0;
  // A sandbox that outlived the process that made it.
  virtual async::Task<Result<std::unique_ptr<Sandbox>>> reattach(SandboxId id) = 0;
  virtual async::Task<Result<std::vector<SandboxId>>> list() = 0;
};

}  // namespace atl::sandbox
