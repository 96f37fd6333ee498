// The backends that this program was built with, by name. Filled once at start by
// register_all_backends() (generated, src/backends/CMakeLists.txt) and read-only afterwards.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "sandbox/backend.hpp"

namespace atl::sandbox {

// What a backend keeps from the time before privileges were dropped.
struct Prepared {
  UniqueFd control;               // native: its launcher, and
  std::string run_folder;         // where that one keeps sockets
  std::optional<unsigned> group;  // that the process must keep
};

// What a backend may need to come to life. A backend ignores what it has no use for.
struct BackendOptions {
  async::Executor executor;
  std::any config;         // the struct of its config.hpp; empty: what holds without one
  std::string run_folder;  // sockets and records. A name without a slash lies in the folder that
                           // the backend itself chooses; empty: that folder
  std::string program_folder;  // where atoll-launcher and atoll-guest lie; empty: beside this
                               // program
  std::string data_folder;     // the server's; empty: no server
  std::string state_folder;    // of what must be found again; empty: nothing
  std::string image_folder;    // native as root: images and disks; empty: its default
  bool once = false;           // a single sandbox that ends with this process
  bool keeps_group = false;    // this process has a group that some backend needed
  bool named = true;           // by the operator; otherwise by a stored template alone
  Prepared prepared;           // by this backend's prepare_as_root
};

// The configuration of a backend, as its own type.
template <typename T>
T config_of(const BackendOptions& options) {
  const T* told = std::any_cast<T>(&options.config);
  return told != nullptr ? *told : T();
}

// An archive of images on its way to a backend that keeps them itself.
struct ImageArchive {
  UniqueFd file;
  std::string name;  // instead of the archive's own; empty: as it says
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;  // total 0: not known
};

// What the lists of a backend that declares kDomainLists, and not kNetworkPolicy, can say.
struct ListForms {
  bool ports = false;         // "example.org:443"
  bool allow_others = false;  // all names but those that are denied
};

struct BackendEntry {
  std::string name;
  Maturity status = Maturity::kExperimental;
  IsolationKind isolation = IsolationKind::kNone;
  std::vector<Cap> caps;
  std::map<Cap, std::string> lacks;  // what it cannot do, and why: half a sentence
  // Why it cannot run here, in one sentence with what would help (kHostUnsupported). May block.
  std::function<Result<void>()> probe;
  std::function<Result<std::unique_ptr<Backend>>(BackendOptions)> make;
  // Sandboxes see the host's whole file system under its own paths, with the home of whoever runs
  // the server for `~`; otherwise a chosen part of it, or an image.
  bool whole_host = false;
  // Fetches what it needs besides this program, and says how far it is. Empty: nothing to fetch.
  std::function<Result<void>(const std::function<void(const std::string&)>& say)> install;
  // What must be done before this process becomes the user `uid` without privileges: as a rule what
  // only root can do. `options` are those that `make` will get, without executor and `prepared`.
  // Empty: nothing. Without it `make` does with what an ordinary user can have.
  std::function<Result<Prepared>(const BackendOptions& options, unsigned uid, unsigned gid)>
      prepare_as_root;
  // Its sandboxes have the groups of this process. Such a backend and one whose Prepared holds a
  // group cannot work in one process.
  bool shares_groups = false;

  // Images are names that the backend itself knows, and `host` is its default one. Otherwise they
  // are those of Atoll's store, and `host` is the host's root.
  bool own_images = false;
  ListForms lists;
  // Whether sandboxes that may reach everything join a network that the configuration names. There
  // no rules hold, and nothing is opened. Empty: never.
  std::function<bool(const std::any& config)> joins_network;
  // Takes what `docker save` writes, and gives the names of the images. Empty: it cannot. Blocks.
  std::function<Result<std::vector<std::string>>(ImageArchive)> import_images;

  bool has(Cap cap) const;
};

class Registry {
 public:
  void add(BackendEntry entry);
  // kUnsupportedBackend names the backends there are.
  Result<const BackendEntry*> get(std::string_view name) const;
  const std::vector<BackendEntry>& list() const { return entries_; }

 private:
  std::vector<BackendEntry> entries_;  // sorted by name
};

// Stable names for reports: "exec", "beta", "container", …
std::string_view cap_name(Cap cap);
std::string_view maturity_name(Maturity maturity);
std::string_view isolation_name(IsolationKind isolation);

}  // namespace atl::sandbox

namespace atl::backends {
// Every folder of src/backends that this program contains.
void register_all_backends(sandbox::Registry& registry);
// False in `atoll` itself, which leaves those that speak HTTP to atoll-backends.
bool has_all_backends();
}  // namespace atl::backends
