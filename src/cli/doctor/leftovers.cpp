#include "cli/doctor/leftovers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/unique_fd.hpp"

namespace atl::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

bool is_real_folder(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Empty when somebody else holds it.
UniqueFd lock_alone(const fs::path& path, int flags = 0) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0600));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fd.reset();
  return fd;
}

// A socket of a type that nobody here listens with is refused in one way by a living one and in
// another where only the name is left. Whoever listens notices nothing.
bool is_dead_socket(const fs::path& path) {
  struct stat info{};
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::string name = path.string();
  if (::lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode) ||
      name.size() >= sizeof address.sun_path) {
    return false;
  }
  name.copy(address.sun_path, name.size());
  UniqueFd probe(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return probe &&
         ::connect(probe.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

bool is_socket_name(const fs::path& path) {
  std::string name = path.filename();
  return name.ends_with(".sock") || name.starts_with("launcher.");
}

std::string why() { return std::strerror(errno); }

// Everything of one slot of the host.
struct SlotParts {
  std::vector<fs::path> leaves;
  fs::path network;
};

class Sweep {
 public:
  Sweep(const LeftoverPlaces& places, bool clean)
      : shared_(places.shared), cgroups_(places.cgroups), clean_(clean) {}

  std::vector<Leftover> run() && {
    for (const fs::path& folder : entries(shared_)) {
      std::string name = folder.filename();
      // As src/server/place.cpp names them.
      if (name.size() == 9 && name[0] == 's' && is_real_folder(folder)) look_at_run_folder(folder);
    }
    look_at_sockets(shared_, lock_alone(shared_, O_DIRECTORY));
    zygotes_ = lock_alone(shared_ / "zygotes/lock");
    look_at_sockets(shared_ / "zygotes", zygotes_);
    for (const auto& [number, parts] : slots()) look_at_slot(number, parts);
    return std::move(found_);
  }

 private:
  void add(Leftover::Kind kind, const fs::path& path, std::string problem, unsigned cgroups = 0) {
    found_.push_back({kind, path.string(), cgroups, std::move(problem)});
  }

  // Its launcher holds the lock as long as it lives; sandboxes that outlive it hold their sockets.
  void look_at_run_folder(const fs::path& folder) {
    UniqueFd lock = lock_alone(folder, O_DIRECTORY);
    if (!lock) return;
    std::vector<fs::path> inside = entries(folder);
    for (const fs::path& path : inside) {
      if (path.filename() == "boxes") continue;
      if (!is_socket_name(path)) {
        return add(Leftover::Kind::kRunFolder, folder,
                   "it holds something that is not Atoll's: " + path.filename().string());
      }
      if (!is_dead_socket(path)) return;
    }
    std::string problem;
    if (clean_) {
      for (const fs::path& path : inside) ::unlink(path.c_str());
      for (const fs::path& record : entries(folder / "boxes")) ::unlink(record.c_str());
      ::rmdir((folder / "boxes").c_str());
      if (::rmdir(folder.c_str()) != 0) problem = why();
    }
    add(Leftover::Kind::kRunFolder, folder, std::move(problem));
  }

  // Under the lock of those that make sockets there.
  void look_at_sockets(const fs::path& folder, const UniqueFd& lock) {
    if (!lock) return;
    for (const fs::path& path : entries(folder)) {
      if (!is_socket_name(path) || !is_dead_socket(path)) continue;
      bool gone = !clean_ || ::unlink(path.c_str()) == 0;
      add(Leftover::Kind::kSocket, path, gone ? "" : why());
    }
  }

  // Folders of one version: the root itself. Of the other: one for each controller.
  std::vector<fs::path> cgroup_roots() const {
    if (::access((cgroups_ / "cgroup.controllers").c_str(), F_OK) == 0) return {cgroups_};
    std::vector<fs::path> roots = entries(cgroups_);
    std::erase_if(roots, [](const fs::path& path) { return !is_real_folder(path); });
    return roots;
  }

  // The number at the end of "slot-7", of "guest-7", of "box-7" or of "7".
  static bool number_of(std::string_view name, unsigned& number) {
    for (std::string_view prefix : {"slot-", "guest-", "box-"}) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc() && end == name.data() + name.size();
  }

  // Groups of slots, a group behind those in it: on v2 "box-7" holds both leaves, and "place-1" the
  // boxes of a zygote's sandboxes.
  static void find_groups(const fs::path& folder, std::map<unsigned, SlotParts>& all) {
    unsigned number = 0;
    for (const fs::path& group : entries(folder)) {
      std::string name = group.filename();
      bool box = name.starts_with("box-");
      if (box || name.starts_with("place-")) find_groups(group, all);
      bool of_slot = box || name.starts_with("slot-") || name.starts_with("guest-");
      if (of_slot && number_of(name, number)) all[number].leaves.push_back(group);
    }
  }

  std::map<unsigned, SlotParts> slots() const {
    std::map<unsigned, SlotParts> all;
    unsigned number = 0;
    for (const fs::path& root : cgroup_roots()) find_groups(root / "atoll", all);
    for (const fs::path& network : entries(shared_ / "net")) {
      if (number_of(network.filename().string(), number)) all[number].network = network;
    }
    return all;
  }

  static bool is_empty(const fs::path& leaf) {
    std::ifstream file(leaf / "cgroup.procs");
    return file && file.peek() == std::ifstream::traits_type::eof();
  }

  // Taken as a launcher takes it. Groups of zygotes have no lock of their own here: those start
  // under one that is ours by now, or somebody else's.
  void look_at_slot(unsigned number, const SlotParts& parts) {
    fs::path file = shared_ / "slots" / std::to_string(number);
    bool known = ::access(file.c_str(), F_OK) == 0;
    if (!known && !zygotes_) return;
    UniqueFd lock;
    if (known) lock = lock_alone(file);
    if ((known && !lock) || !std::ranges::all_of(parts.leaves, is_empty)) return;
    std::string problem;
    if (clean_) {
      for (const fs::path& leaf : parts.leaves) {
        if (::rmdir(leaf.c_str()) != 0 && errno != ENOENT) problem = why();
      }
      if (!parts.network.empty()) remove_network(parts.network, problem);
    }
    add(Leftover::Kind::kSlot, file, std::move(problem),
        static_cast<unsigned>(parts.leaves.size()));
  }

  static void remove_network(const fs::path& path, std::string& problem) {
    // EINVAL: no namespace is kept there any more, only the name.
    bool gone = ::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0 || errno == EINVAL;
    if (!gone || ::unlink(path.c_str()) != 0) problem = why();
  }

  fs::path shared_, cgroups_;
  bool clean_;
  UniqueFd zygotes_;  // while it is held no zygote starts
  std::vector<Leftover> found_;
};

}  // namespace

std::vector<Leftover> sweep_leftovers(const LeftoverPlaces& places, bool clean) {
  return Sweep(places, clean).run();
}

}  // namespace atl::cli
