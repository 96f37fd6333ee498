#include "images/layer_reader.hpp"

#include "images/digest.hpp"
#include "images/entry_path.hpp"
#include "images/libarchive.hpp"

namespace atl::images {
namespace {

constexpr std::string_view kWhiteoutPrefix = ".wh.";
constexpr std::string_view kOpaqueName = ".wh..wh..opq";
constexpr std::string_view kNotes = ".wh..wh.";  // of the aufs file system to itself
constexpr la_int64_t kMaxId = 65535;

// Counts what goes by, and watches how much comes out of how little.
class WatchedStream final : public ByteStream {
 public:
  // `packed` counts what this is unpacked from; null when it was not.
  WatchedStream(ByteStream& from, const SummingStream* packed, Budget& budget)
      : from_(from), packed_(packed), budget_(budget) {}

  Result<std::span<const char>> next() override {
    ATOLL_TRY(std::span<const char> bytes, from_.next());
    count_ += bytes.size();
    std::uint64_t read = packed_ != nullptr ? packed_->count() : count_;
    const UnpackLimits& limits = budget_.limits;
    if (bytes.size() > budget_.stream) {
      return fail(Code::kTooLarge, "the archive unpacks to more than is allowed");
    }
    budget_.stream -= bytes.size();
    if (count_ > limits.ratio_from && count_ / limits.ratio > read) {
      return fail(Code::kTooLarge, "a layer unpacks to more than " + std::to_string(limits.ratio) +
                                       " times its size");
    }
    if (budget_.on_progress) budget_.on_progress(read);
    return bytes;
  }

 private:
  ByteStream& from_;
  const SummingStream* packed_;
  Budget& budget_;
  std::uint64_t count_ = 0;
};

class LayerReader {
 public:
  LayerReader(Archive& tar, LayerSink& sink, Budget& budget)
      : tar_(tar), sink_(sink), budget_(budget) {}

  Result<void> run() {
    for (;;) {
      ATOLL_TRY(archive_entry * raw, tar_.next());
      if (raw == nullptr) return {};
      if (budget_.entries == 0) {
        return fail(Code::kTooLarge, "the archive's layers have too many entries");
      }
      --budget_.entries;
      LayerEntry entry;
      ATOLL_TRY(bool wanted, take(raw, entry));
      if (!wanted) continue;
      ++files;
      ATOLL_CHECK(sink_.begin(entry));
      if (entry.kind == EntryKind::kFile) ATOLL_CHECK(content(entry));
      ATOLL_CHECK(sink_.end());
    }
  }

  std::uint64_t size = 0;
  std::uint64_t files = 0;

 private:
  // False: nothing to do for this one.
  Result<bool> take(archive_entry* raw, LayerEntry& entry) {
    const char* name = archive_entry_pathname(raw);
    ATOLL_TRY(entry.path, clean_path(name != nullptr ? name : "", budget_.limits));
    if (is_marker(entry)) return take_marker(entry);
    if (archive_entry_hardlink(raw) != nullptr) {
      entry.kind = EntryKind::kHardLink;
      ATOLL_TRY(entry.link, clean_path(archive_entry_hardlink(raw), budget_.limits));
      return !entry.path.empty() && !entry.link.empty();
    }
    ATOLL_TRY(bool wanted, take_kind(raw, entry));
    if (!wanted) return false;
    if (entry.path.empty() && entry.kind != EntryKind::kFolder) {
      return fail(Code::kInvalidArgument, "a layer has something without a name");
    }
    ATOLL_CHECK(take_owner(raw, entry));
    take_xattrs(raw, entry);
    entry.mode = archive_entry_perm(raw) & 01777;
    entry.mtime = archive_entry_mtime(raw);
    entry.mtime_nanoseconds = static_cast<std::uint32_t>(archive_entry_mtime_nsec(raw));
    return true;
  }

  Result<bool> take_kind(archive_entry* raw, LayerEntry& entry) {
    switch (archive_entry_filetype(raw)) {
      case AE_IFREG: {
        entry.kind = EntryKind::kFile;
        la_int64_t bytes = archive_entry_size(raw);
        entry.size = static_cast<std::uint64_t>(bytes);
        if (bytes < 0 || entry.size > budget_.bytes) {
          return fail(Code::kTooLarge, "the archive unpacks to more than is allowed");
        }
        budget_.bytes -= entry.size;
        size += entry.size;
        return true;
      }
      case AE_IFDIR: entry.kind = EntryKind::kFolder; return true;
      case AE_IFLNK: {
        entry.kind = EntryKind::kSymlink;
        const char* target = archive_entry_symlink(raw);
        entry.link = target != nullptr ? target : "";
        bool usable = !entry.link.empty() && entry.link.size() <= budget_.limits.path;
        if (!usable || link_climbs_out(entry.path, entry.link)) {
          return fail(Code::kInvalidArgument,
                      "a layer has a link that leads out of it: " + shown(entry.path));
        }
        return true;
      }
      case AE_IFCHR:
      case AE_IFBLK:
        // A sandbox has its own /dev; anywhere else a node is somebody's attempt.
        if (!entry.path.starts_with("dev/")) {
          return fail(Code::kInvalidArgument, "a layer has a device node: " + shown(entry.path));
        }
        ++budget_.skipped_nodes;
        return false;
      case AE_IFIFO:
      case AE_IFSOCK: ++budget_.skipped_nodes; return false;
      default:
        return fail(Code::kInvalidArgument,
                    "a layer has an entry of an unknown kind: " + shown(entry.path));
    }
  }

  static std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
  }
  // Whatever its type: some tools write equal markers as links of each other.
  static bool is_marker(const LayerEntry& entry) {
    return last_part(entry.path).starts_with(kWhiteoutPrefix) || entry.path.starts_with(kNotes);
  }

  // .wh.x says that x is gone, .wh..wh..opq that nothing of the folder below is left.
  Result<bool> take_marker(LayerEntry& entry) {
    std::string_view name = last_part(entry.path);
    std::string folder(entry.path, 0, entry.path.size() - name.size());
    if (name == kOpaqueName) {
      entry.kind = EntryKind::kOpaque;
      if (!folder.empty()) folder.pop_back();
      entry.path = folder;
      return true;
    }
    if (name.starts_with(kNotes) || entry.path.starts_with(kNotes)) return false;
    std::string_view hidden = name.substr(kWhiteoutPrefix.size());
    if (hidden.empty() || hidden == "." || hidden == "..") {
      return fail(Code::kInvalidArgument, "a layer has a whiteout of nothing");
    }
    entry.kind = EntryKind::kWhiteout;
    entry.path = folder + std::string(hidden);
    return true;
  }

  Result<void> take_owner(archive_entry* raw, LayerEntry& entry) {
    la_int64_t uid = archive_entry_uid(raw);
    la_int64_t gid = archive_entry_gid(raw);
    if (uid < 0 || uid > kMaxId || gid < 0 || gid > kMaxId) {
      return fail(Code::kInvalidArgument,
                  "a layer has a file whose owner is above 65535: " + shown(entry.path));
    }
    entry.uid = static_cast<uid_t>(uid);
    entry.gid = static_cast<gid_t>(gid);
    return {};
  }

  void take_xattrs(archive_entry* raw, LayerEntry& entry) {
    archive_entry_xattr_reset(raw);
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t bytes = 0;
    while (archive_entry_xattr_next(raw, &name, &value, &bytes) == ARCHIVE_OK) {
      std::string_view key = name != nullptr ? name : "";
      // The kernel's own notes (capabilities, labels) mean something on the host; overlay's would
      // change what the layers under it show.
      bool kept = key.starts_with("user.") && !key.starts_with("user.overlay.");
      if (kept) {
        entry.xattrs.emplace_back(key, std::string(static_cast<const char*>(value), bytes));
      } else {
        ++budget_.dropped_xattrs;
      }
    }
  }

  Result<void> content(const LayerEntry& entry) {
    for (;;) {
      ATOLL_TRY(std::optional<Archive::Block> block, tar_.read());
      if (!block) return {};
      std::uint64_t end = block->offset + block->bytes.size();
      if (block->offset > entry.size || end > entry.size) {
        return fail(Code::kInvalidArgument, "a layer has a file larger than it says");
      }
      if (!block->bytes.empty()) ATOLL_CHECK(sink_.data(block->offset, block->bytes));
    }
  }

  Archive& tar_;
  LayerSink& sink_;
  Budget& budget_;
};

}  // namespace

Result<LayerSums> read_layer(ByteStream& blob, LayerSink& sink, Budget& budget) {
  ATOLL_TRY(PeekedStream peeked, PeekedStream::open(blob));
  // What is not compressed has one sum, not two.
  bool is_packed = looks_packed(peeked.first());
  SummingStream packed(peeked);
  std::unique_ptr<UnpackingStream> unpacked;
  if (is_packed) {
    ATOLL_TRY(unpacked, UnpackingStream::open(packed));
  }
  WatchedStream watched(is_packed ? static_cast<ByteStream&>(*unpacked) : peeked,
                        is_packed ? &packed : nullptr, budget);
  SummingStream content(watched);
  ATOLL_TRY(std::unique_ptr<Archive> tar, Archive::open(content, Archive::Kind::kTar));
  LayerReader reader(*tar, sink, budget);
  ATOLL_CHECK(reader.run());
  // What follows the end mark is part of both sums.
  ATOLL_CHECK(content.drain());
  if (is_packed) ATOLL_CHECK(packed.drain());
  LayerSums sums{.diff_id = content.hex(), .size = reader.size, .files = reader.files};
  sums.blob = is_packed ? packed.hex() : sums.diff_id;
  return sums;
}

}  // namespace atl::images
