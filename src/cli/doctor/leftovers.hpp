// What dead servers and launchers left on this host: run folders, sockets, slots with their control
// groups and kept network namespaces. Whatever a living server, launcher or sandbox uses is locked
// by it or has its processes in it, and is never among these.
#pragma once

#include <string>
#include <vector>

namespace atl::cli {

struct LeftoverPlaces {
  std::string shared;                      // where launchers keep locks and sockets: /run/atoll
  std::string cgroups = "/sys/fs/cgroup";  // of both versions
};

struct Leftover {
  enum class Kind { kRunFolder, kSlot, kSocket };
  Kind kind = Kind::kRunFolder;
  std::string path;
  unsigned cgroups = 0;   // of a slot: its directories of control groups
  std::string problem{};  // why it could not be removed; empty otherwise
};

// Looks, and with `clean` removes what it finds, each under the lock that its users take. Lock
// files of slots stay: a launcher may be about to lock one, and would then hold a slot that the
// next launcher, with a new file of that name, holds too.
std::vector<Leftover> sweep_leftovers(const LeftoverPlaces& places, bool clean);

std::string leftovers_text(const std::vector<Leftover>& removed);
std::string leftovers_json(const std::vector<Leftover>& removed, bool pretty);

}  // namespace atl::cli
