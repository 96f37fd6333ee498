#include "engine/launcher_protocol.hpp"

namespace atl::engine {

const char* step_name(Step step) {
  switch (step) {
    case Step::kNone: return "nothing";
    case Step::kBadRequest: return "checking the request";
    case Step::kUserNamespace: return "entering a user namespace";
    case Step::kRunFolder: return "opening the run folder";
    case Step::kSlot: return "taking a slot";
    case Step::kCgroup: return "using its cgroup";
    case Step::kLimits: return "setting its limits";
    case Step::kSocket: return "making its socket";
    case Step::kNetwork: return "entering its network namespace";
    case Step::kTemplate: return "building the file system template";
    case Step::kMount: return "mounting a folder";
    case Step::kRule: return "applying a file system rule";
    case Step::kClone: return "making its namespaces";
    case Step::kMaps: return "mapping its users";
    case Step::kTasks: return "entering its cgroup";
    case Step::kProc: return "mounting /proc";
    case Step::kTmpfs: return "mounting its writable folders";
    case Step::kHostname: return "setting its host name";
    case Step::kIdentity: return "changing to its user";
    case Step::kCapabilities: return "dropping capabilities";
    case Step::kExecGuest: return "starting the guest";
    case Step::kUnknownBox: return "finding the sandbox";
    case Step::kBusy: return "starting another sandbox";
    case Step::kImage: return "putting the layers of its image together";
    case Step::kWritableRoot: return "making its root writable";
    case Step::kZygote: return "starting a zygote";
    case Step::kDisk: return "formatting its disk";
    case Step::kEgress: return "opening its way out";
  }
  return "an unknown step";
}

}  // namespace atl::engine
