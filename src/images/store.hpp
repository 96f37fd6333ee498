// The images of this host (as root) or of one user, below DATA/images:
//
//   manifests/NAME.json    an image: what it is called, is made of and runs (image.hpp)
//   layers/DIFF_ID/tree/   an unpacked layer, shared by all images that have it; layer.json beside
//   it staging/ID/            an import at work, or what a removal takes away; nobody else looks
//   there
//
// A layer belongs to the images whose manifests name it; one that none names is swept away. Locks
// are flock(2), so they end with whoever held them: `lock` around every change, `imports` shared by
// imports (they rely on layers that no manifest names yet), a layer's folder shared by whoever uses
// it. Blocking; any thread, one call at a time per object.
#pragma once

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "images/image.hpp"

namespace atl::images {

// Where Atoll keeps things: $ATOLL_DATA, /var/lib/atoll as root, else below the user's data folder
// (XDG_DATA_HOME, ~/.local/share).
Result<std::string> data_folder();
// Where a server keeps its own when nobody says otherwise: `server` in there.
Result<std::string> server_folder();

// An image in use: as long as this lives, its layers stay.
struct Lease {
  Image image;
  std::vector<UniqueFd> layers;  // folders DIFF_ID, as image.layers: the lowest first
};

// A folder of its own below staging/, gone with this object and all that is left in it.
class Staging {
 public:
  Staging(UniqueFd parent, UniqueFd folder, std::string name)
      : parent_(std::move(parent)), folder_(std::move(folder)), name_(std::move(name)) {}
  Staging(Staging&&) = default;
  Staging& operator=(Staging&&) = delete;
  ~Staging();
  const UniqueFd& folder() const { return folder_; }

 private:
  UniqueFd parent_;
  UniqueFd folder_;  // locked
  std::string name_;
};

// How long to wait for whoever changes the store: an import holds its lock while it writes to disk.
struct LockWait {
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* give_up = nullptr;  // set by another thread
};

class Store {
 public:
  // Makes what is missing. kForbidden when the folder is not ours alone.
  static Result<Store> open(const std::string& data_folder);

  Result<std::vector<Image>> list() const;  // by name
  // By name, or by the first digits of the digest (sha256:…, six at least) if only one image has
  // them.
  Result<Image> find(std::string_view name) const;
  // kNoAvailableRuntime when the time is up, kCancelled when it was given up.
  Result<Lease> use(std::string_view name, LockWait wait = {}) const;
  // kConflict while a sandbox uses a layer that no other image has.
  Result<Image> remove(std::string_view name);

  // For imports. The lock that keeps every layer where it is …
  Result<UniqueFd> begin_import() const;
  Result<Staging> stage() const;
  Result<std::set<std::string>> known_layers() const;
  Result<LayerRecord> layer(const std::string& diff_id) const;
  // … and the one moment at which an import becomes visible: the layers are moved here from
  // layers/ of the staging folder, then the images are written.
  Result<void> commit(const Staging& staging, const std::vector<LayerRecord>& layers,
                      const std::vector<Image>& images);
  // Removes layers that no image has and what crashed processes left. Does nothing while somebody
  // imports: he will.
  Result<void> sweep();

 private:
  Store() = default;
  Result<UniqueFd> lock(const char* name, int how, LockWait wait = {}) const;
  // These expect the lock to be held.
  Result<std::vector<Image>> read_all() const;  // fails when one is damaged
  Result<Image> look_up(std::string_view name) const;
  Result<std::set<std::string>> layers_of_images(std::string_view but) const;

  Result<Image> forget(std::string_view name);
  Result<void> take_away(const Staging& trash);
  void remove_stale_staging() const;

  UniqueFd root_;
  UniqueFd layers_;
  UniqueFd manifests_;
  UniqueFd staging_;
};

}  // namespace atl::images
