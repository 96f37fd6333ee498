#include "images/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/ids.hpp"
#include "codec/json.hpp"
#include "images/reference.hpp"
#include "images/tree.hpp"

namespace atl::images {
namespace {

constexpr std::size_t kMaxManifest = 8ull << 20;
constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kDigestPrefix = "sha256:";
constexpr std::size_t kFewestDigits = 6;
constexpr std::chrono::milliseconds kAskAgain{10};
constexpr const char* kLock = "lock";
constexpr const char* kImports = "imports";

std::string file_of(std::string_view name) { return encode_reference(name).append(kSuffix); }

Result<Image> read_manifest(const UniqueFd& folder, const std::string& file) {
  ATOLL_TRY(std::string text, read_text(folder.get(), file.c_str(), kMaxManifest));
  codec::Decoded<Image> image =
      codec::decode<Image>(text, {.ignore_unknown = true}, {.max_bytes = kMaxManifest});
  bool right = image && file == file_of(image->name) &&
               std::ranges::all_of(image->layers, [](const LayerRecord& layer) {
                 return is_sha256_hex(layer.diff_id);
               });
  if (right) return std::move(*image);
  return fail(Code::kIo, "the image store is damaged at manifests/" + file +
                             "; remove that file and import the image again");
}

// Nobody else may write there: what lies in it is believed.
Result<void> check_owner(const UniqueFd& folder, const std::string& path) {
  struct stat info{};
  if (::fstat(folder.get(), &info) != 0) return fail_errno("looking at the image store");
  if (info.st_uid == ::geteuid() && (info.st_mode & 022) == 0) return {};
  return fail(Code::kForbidden, path + " must be yours and writable by nobody else");
}

}  // namespace

Staging::~Staging() {
  if (folder_) (void)remove_tree(parent_.get(), name_);
}

Result<Store> Store::open(const std::string& data_folder) {
  // The folders above it are made as well: ~/.local/share may not be there yet.
  for (std::size_t slash = data_folder.find('/', 1); slash != std::string::npos;
       slash = data_folder.find('/', slash + 1)) {
    ::mkdir(data_folder.substr(0, slash).c_str(), 0755);
  }
  ::mkdir(data_folder.c_str(), 0711);  // a server of another user may have its own below it
  UniqueFd data(::open(data_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!data) {
    int error = errno;
    return fail(Error(code_from_errno(error), "cannot use the folder " + data_folder, error));
  }
  Store store;
  ATOLL_TRY(store.root_, make_folder(data.get(), "images", 0700));
  ATOLL_CHECK(check_owner(store.root_, data_folder + "/images"));
  // The way into the root is closed; whoever holds this one may ask for a layer by its digest.
  ATOLL_TRY(store.layers_, make_folder(store.root_.get(), "layers", 0711));
  ATOLL_TRY(store.manifests_, make_folder(store.root_.get(), "manifests", 0700));
  ATOLL_TRY(store.staging_, make_folder(store.root_.get(), "staging", 0700));
  return store;
}

// Asks again and again: flock(2) that blocks has no deadline, and nobody can wake it up.
Result<UniqueFd> Store::lock(const char* name, int how, LockWait wait) const {
  UniqueFd file(::openat(root_.get(), name, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail_errno("locking the image store");
  bool bounded = wait.give_up != nullptr || wait.until != LockWait().until;
  while (::flock(file.get(), bounded ? how | LOCK_NB : how) != 0) {
    if (errno == EINTR) continue;
    if (!bounded || errno != EWOULDBLOCK) return fail_errno("locking the image store");
    if (wait.give_up != nullptr && *wait.give_up) {
      return fail(Code::kCancelled, "the server stops");
    }
    if (std::chrono::steady_clock::now() >= wait.until) {
      return fail(Code::kNoAvailableRuntime,
                  "an image import keeps the image store locked; try again later");
    }
    std::this_thread::sleep_for(kAskAgain);
  }
  return file;
}

Result<std::vector<Image>> Store::read_all() const {
  ATOLL_TRY(std::vector<std::string> files, list_folder(manifests_));
  std::vector<Image> images;
  for (const std::string& file : files) {
    if (file.starts_with('.') || !file.ends_with(kSuffix)) continue;
    ATOLL_TRY(Image image, read_manifest(manifests_, file));
    images.push_back(std::move(image));
  }
  std::ranges::sort(images, {}, &Image::name);
  return images;
}

Result<std::vector<Image>> Store::list() const {
  ATOLL_TRY(UniqueFd held, lock(kLock, LOCK_SH));
  return read_all();
}

Result<Image> Store::find(std::string_view name) const {
  ATOLL_TRY(UniqueFd held, lock(kLock, LOCK_SH));
  return look_up(name);
}

Result<Image> Store::look_up(std::string_view name) const {
  if (name.starts_with(kDigestPrefix) && name.size() >= kDigestPrefix.size() + kFewestDigits) {
    ATOLL_TRY(std::vector<Image> images, read_all());
    std::erase_if(images, [&](const Image& image) { return !image.digest.starts_with(name); });
    bool same = std::ranges::all_of(
        images, [&](const Image& image) { return image.digest == images.front().digest; });
    if (!images.empty() && same) return std::move(images.front());
    if (!images.empty()) {
      return fail(Code::kInvalidArgument, "several images have a digest that begins so");
    }
  } else {
    ATOLL_TRY(std::string whole, parse_reference(name));
    Result<Image> image = read_manifest(manifests_, file_of(whole));
    if (image || image.error().errno_value() != ENOENT) return image;
  }
  return fail(Code::kNotFound, "there is no image \"" + std::string(name.substr(0, 80)) +
                                   "\"; `atoll image ls` lists them, `atoll image import` brings "
                                   "one in");
}

Result<Lease> Store::use(std::string_view name, LockWait wait) const {
  ATOLL_TRY(UniqueFd held, lock(kLock, LOCK_SH, wait));
  Lease lease;
  ATOLL_TRY(lease.image, look_up(name));
  for (const LayerRecord& layer : lease.image.layers) {
    ATOLL_TRY(UniqueFd folder, open_folder(layers_.get(), layer.diff_id.c_str()));
    if (::flock(folder.get(), LOCK_SH | LOCK_NB) != 0) return fail_errno("locking a layer");
    lease.layers.push_back(std::move(folder));
  }
  return lease;
}

Result<std::set<std::string>> Store::layers_of_images(std::string_view but) const {
  ATOLL_TRY(std::vector<Image> images, read_all());
  std::set<std::string> used;
  for (const Image& image : images) {
    if (image.name == but) continue;
    for (const LayerRecord& layer : image.layers) used.insert(layer.diff_id);
  }
  return used;
}

Result<Image> Store::remove(std::string_view name) {
  ATOLL_TRY(Image image, forget(name));
  ATOLL_CHECK(sweep());
  return image;
}

Result<Image> Store::forget(std::string_view name) {
  ATOLL_TRY(UniqueFd held, lock(kLock, LOCK_EX));
  ATOLL_TRY(Image image, look_up(name));
  ATOLL_TRY(std::set<std::string> others, layers_of_images(image.name));
  for (const LayerRecord& layer : image.layers) {
    if (others.contains(layer.diff_id)) continue;
    Result<UniqueFd> folder = open_folder(layers_.get(), layer.diff_id.c_str());
    if (folder && ::flock(folder->get(), LOCK_EX | LOCK_NB) != 0) {
      return fail(Code::kConflict, "the image " + image.name + " is in use by a sandbox");
    }
  }
  if (::unlinkat(manifests_.get(), file_of(image.name).c_str(), 0) != 0 ||
      ::fsync(manifests_.get()) != 0) {
    return fail_errno("removing an image");
  }
  return image;
}

Result<UniqueFd> Store::begin_import() const { return lock(kImports, LOCK_SH); }

Result<Staging> Store::stage() const {
  ATOLL_TRY(UniqueFd held, lock(kLock, LOCK_EX));  // nobody takes it for a leftover
  UniqueFd parent(::fcntl(staging_.get(), F_DUPFD_CLOEXEC, 3));
  std::string name = make_sortable_id();
  ATOLL_TRY(UniqueFd folder, make_folder(staging_.get(), name.c_str(), 0700));
  if (!parent || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return fail_errno("locking");
  return Staging(std::move(parent), std::move(folder), std::move(name));
}

Result<std::set<std::string>> Store::known_layers() const {
  ATOLL_TRY(std::vector<std::string> names, list_folder(layers_));
  std::erase_if(names, [](const std::string& name) { return !is_sha256_hex(name); });
  return std::set<std::string>(names.begin(), names.end());
}

Result<LayerRecord> Store::layer(const std::string& diff_id) const {
  ATOLL_TRY(UniqueFd folder, open_folder(layers_.get(), diff_id.c_str()));
  ATOLL_TRY(std::string text, read_text(folder.get(), "layer.json", 4096));
  codec::Decoded<LayerRecord> record = codec::decode<LayerRecord>(text, {.ignore_unknown = true});
  if (!record) return fail(Code::kIo, "the image store is damaged at layers/" + diff_id);
  return std::move(*record);
}

Result<void> Store::commit(const Staging& staging, const std::vector<LayerRecord>& layers,
                           const std::vector<Image>& images) {
  ATOLL_TRY(UniqueFd held, lock(kLock, LOCK_EX));
  ATOLL_TRY(UniqueFd from, open_folder(staging.folder().get(), "layers"));
  for (const LayerRecord& layer : layers) {
    ATOLL_TRY(UniqueFd folder, open_folder(from.get(), layer.diff_id.c_str()));
    ATOLL_TRY(UniqueFd tree, open_folder(folder.get(), "tree"));
    ATOLL_CHECK(write_text(folder, "layer.json", codec::encode(layer)));
  }
  // Files before names: what a name leads to must survive a power cut as a whole.
  if (::syncfs(from.get()) != 0) return fail_errno("writing the layers to disk");
  for (const LayerRecord& layer : layers) {
    const char* name = layer.diff_id.c_str();
    // Somebody else may have brought the same layer in the meantime.
    bool there = ::faccessat(layers_.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there && ::renameat(from.get(), name, layers_.get(), name) != 0) {
      return fail_errno("moving a layer into the store");
    }
  }
  if (::fsync(layers_.get()) != 0) return fail_errno("writing the layers to disk");
  for (const Image& image : images) {
    ATOLL_CHECK(write_text_atomically(manifests_, file_of(image.name), codec::encode(image)));
  }
  return {};
}

Result<void> Store::take_away(const Staging& trash) {
  ATOLL_TRY(UniqueFd held, lock(kLock, LOCK_EX));
  remove_stale_staging();
  ATOLL_TRY(std::vector<std::string> drafts, list_folder(manifests_));
  for (const std::string& draft : drafts) {
    if (draft.starts_with(".new-")) ::unlinkat(manifests_.get(), draft.c_str(), 0);
  }
  ATOLL_TRY(std::set<std::string> used, layers_of_images({}));
  ATOLL_TRY(std::vector<std::string> present, list_folder(layers_));
  for (const std::string& name : present) {
    if (used.contains(name)) continue;
    Result<UniqueFd> folder = open_folder(layers_.get(), name.c_str());
    // A sandbox may still use a layer whose image was replaced by another of the same name.
    if (!folder || ::flock(folder->get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (::renameat(layers_.get(), name.c_str(), trash.folder().get(), name.c_str()) != 0) {
      return fail_errno("removing a layer");
    }
  }
  return {};
}

void Store::remove_stale_staging() const {
  Result<std::vector<std::string>> names = list_folder(staging_);
  if (!names) return;
  for (const std::string& name : *names) {
    Result<UniqueFd> folder = open_folder(staging_.get(), name.c_str());
    bool alive = folder && ::flock(folder->get(), LOCK_EX | LOCK_NB) != 0;
    if (!alive) (void)remove_tree(staging_.get(), name);
  }
}

Result<void> Store::sweep() {
  Result<UniqueFd> alone = lock(kImports, LOCK_EX | LOCK_NB);
  if (!alone) {
    return alone.error().errno_value() == EWOULDBLOCK ? Result<void>() : fail(alone.error());
  }
  ATOLL_TRY(Staging trash, stage());
  // What was moved there is deleted with it, when others may work again.
  return take_away(trash);
}

}  // namespace atl::images
