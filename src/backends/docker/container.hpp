// The body of POST /containers/create: a sandbox's walls in the engine's words.
#pragma once

#include <string>
#include <vector>

#include "backends/docker/engine.hpp"
#include "backends/docker/policy.hpp"
#include "base/result.hpp"
#include "sandbox/spec.hpp"

namespace atl::backends::docker {

inline constexpr const char* kInstanceLabel = "dev.atoll.instance";
inline constexpr const char* kSandboxLabel = "dev.atoll.sandbox";

// What a container needs beside its spec.
struct ContainerPlan {
  std::string image;
  std::string instance;
  std::string guest_program;  // on the engine's host
  std::string place;          // folder for the guest's socket, on the engine's host
  std::string hidden_file;
  std::string hidden_folder;
  std::string network;               // "none", or the name of one
  std::vector<std::string> cap_add;  // capabilities of programs, which need uid 0 then
  std::vector<std::string> volumes;  // that the image declares
  bool checks_health = false;        // the image would have a command run again and again
  PolicyMounts policy;
  unsigned uid = 1000;
  bool once = false;
};

// kLimitUnenforceable when somebody asked for a limit that the engine cannot hold.
Result<Json> container_body(const sandbox::SandboxSpec& spec, const ContainerPlan& plan,
                            const EngineFacts& facts);
// The part of it that can be changed later: POST /containers/ID/update.
Json limits_body(const sandbox::Limits& limits, const EngineFacts& facts);
// What a container was given beyond the usual.
struct Openings {
  bool has_network = false;
  bool egress_filtered = false;
  bool writable_root = false;
  std::vector<std::string> caps;  // names like CHOWN
};
sandbox::Isolation isolation_of(const EngineFacts& facts, const Openings& openings);

}  // namespace atl::backends::docker
