// What the programs of a sandbox get where their requests say nothing: of sandboxes whose images
// are ours. Others take both from images that Atoll does not read.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "sandbox/sandbox.hpp"

namespace atl::sandbox {

class KeepsDefaults {
 public:
  virtual void set_defaults(std::map<std::string, std::string> env, std::string cwd) = 0;
  // Of a sandbox that was found again: they are in force, but only its maker knew them.
  virtual void set_known_limits(const Limits& limits) = 0;
  virtual const std::string& cwd() const = 0;  // empty: the workspace

 protected:
  ~KeepsDefaults() = default;
};

// Where a program starts whose request names no folder.
inline std::string default_cwd(const Sandbox& sandbox) {
  const auto* keeps = dynamic_cast<const KeepsDefaults*>(&sandbox);
  return keeps == nullptr || keeps->cwd().empty() ? sandbox.workspace() : keeps->cwd();
}

}  // namespace atl::sandbox
