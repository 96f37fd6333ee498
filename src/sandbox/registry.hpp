// The backends that this program was built with, by name. Filled once at start by
// register_all_backends() (generated, src/backends/CMakeLists.txt) and read-only afterwards.
#pragma once

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

// What a backend may need to come to life. A backend ignores what it has no use for.
struct BackendOptions {
  async::Executor executor;
  std::string run_folder;      // sockets and records; empty: the backend's own default
  std::string program_folder;  // where atoll-launcher and atoll-guest lie; empty: beside this
                               // program
  bool once = false;           // a single sandbox that ends with this process
  UniqueFd control;            // native: a launcher started before privileges were dropped
  std::map<std::string, std::string> settings;
};

// An archive of images on its way to a backend that keeps them itself.
struct ImageArchive {
  UniqueFd file;
  std::string name;  // instead of the archive's own; empty: as it says
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;  // total 0: not known
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
  // What only root can prepare for the user that this process becomes. Empty: nothing.
  std::function<void(unsigned uid, unsigned gid)> as_root;

  // Images are names that the backend itself knows, and `host` is its default one. Otherwise they
  // are those of Atoll's store, and `host` is the host's root.
  bool own_images = false;
  // Takes what `docker save` writes, and gives the names of the images. Empty: it cannot. Blocks.
  std::function<Result<std::vector<std::string>>(ImageArchive)> import_images;
  // A group that must be kept when privileges are dropped, by the settings of BackendOptions.
  std::function<std::optional<unsigned>(const std::map<std::string, std::string>&)> needs_group;

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
