#include "images/unpack.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/write_all.hpp"
#include "images/archive_index.hpp"
#include "images/digest.hpp"
#include "images/entry_path.hpp"
#include "images/find_images.hpp"
#include "images/layer_reader.hpp"
#include "images/layer_writer.hpp"
#include "images/libarchive.hpp"

namespace atl::images {
namespace {

bool is_regular(const UniqueFd& fd) {
  struct stat info{};
  return ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode);
}

// `for_root`: the store's folders are root's, not of the user as which root unpacks.
Result<UniqueFd> make_folder(int at, const char* name, mode_t mode, bool for_root) {
  bool made = ::mkdirat(at, name, mode) == 0 &&
              (!for_root || ::fchownat(at, name, 0, 0, AT_SYMLINK_NOFOLLOW) == 0);
  if (!made) return fail_errno("making a folder for layers");
  UniqueFd folder(::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return fail_errno("opening a folder for layers");
  return folder;
}

class Unpacker {
 public:
  explicit Unpacker(UnpackJob job) : job_(std::move(job)), budget_(job_.limits) {}

  Result<UnpackResult> run() {
    ATOLL_TRY(std::unique_ptr<ByteSource> source, open_source());
    ATOLL_TRY(ArchiveIndex index, ArchiveIndex::build(*source, job_.limits));
    ATOLL_TRY(std::vector<FoundImage> images, find_images(index, job_.limits));
    if (job_.one && images.size() > 1) {
      return fail(Code::kInvalidArgument, "the archive holds " + std::to_string(images.size()) +
                                              " images, and one name cannot be given to them all");
    }
    for (const FoundImage& image : images) {
      // Before the work, not after it.
      if (!job_.one && image.plan.names.empty()) {
        return fail(Code::kInvalidArgument,
                    "the archive does not say what its image is called; give it a name (--name)");
      }
    }
    ATOLL_TRY(layers_, make_folder(job_.staging.get(), "layers", 0700, job_.keep_owners));
    count_work(index, images);
    for (const FoundImage& image : images) ATOLL_CHECK(unpack_image(index, image));
    result_.skipped_nodes = budget_.skipped_nodes;
    result_.dropped_xattrs = budget_.dropped_xattrs;
    return std::move(result_);
  }

 private:
  // A plain tar in a file is read where it is. A pipe, or something compressed, is written down
  // first, to a file without a name: members are read in another order than they come.
  Result<std::unique_ptr<ByteSource>> open_source() {
    if (is_regular(job_.archive)) {
      ATOLL_TRY(std::unique_ptr<FileSource> file, FileSource::open(std::move(job_.archive)));
      char first[8] = {};
      ATOLL_TRY(std::size_t got, file->read_at(0, first));
      if (!looks_packed({first, got})) return file;
      SourceStream stream(*file);
      return spool(stream, file->size());
    }
    PipeStream stream(job_.archive);
    return spool(stream, 0);
  }

  Result<std::unique_ptr<ByteSource>> spool(ByteStream& from, std::uint64_t total) {
    UniqueFd file(::openat(job_.staging.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file) return fail_errno("making a file for the archive");
    ATOLL_TRY(std::unique_ptr<UnpackingStream> stream, UnpackingStream::open(from));
    std::uint64_t count = 0;
    for (;;) {
      ATOLL_TRY(std::span<const char> bytes, stream->next());
      if (bytes.empty()) break;
      count += bytes.size();
      if (count > job_.limits.bytes) return fail(Code::kTooLarge, "the archive is too large");
      if (!write_all(file.get(), {bytes.data(), bytes.size()})) {
        return fail_errno("writing the archive down");
      }
      // What is left is to be unpacked as well, so this is about half of the work.
      tell(count, total != 0 ? std::max(total, count) * 2 : 0);
    }
    return FileSource::open(std::move(file));
  }

  bool is_known(const std::string& diff_id) const { return job_.known_layers.contains(diff_id); }

  void count_work(const ArchiveIndex& index, const std::vector<FoundImage>& images) {
    std::set<std::string> seen;
    for (const FoundImage& image : images) {
      for (std::size_t i = 0; i < image.plan.layers.size(); ++i) {
        const std::string& id = image.config.diff_ids[i];
        if (!is_known(id) && seen.insert(id).second) {
          total_ += index.size_of(image.plan.layers[i].path);
        }
      }
    }
  }

  void tell(std::uint64_t done, std::uint64_t total) {
    if (job_.on_progress) job_.on_progress({done, total});
  }

  Result<void> unpack_image(const ArchiveIndex& index, const FoundImage& image) {
    UnpackedImage out{.names = image.plan.names,
                      .digest = image.digest,
                      .architecture = image.config.architecture,
                      .created = image.config.created,
                      .layers = image.config.diff_ids,
                      .config = image.config.config};
    for (std::size_t i = 0; i < out.layers.size(); ++i) {
      if (!is_known(out.layers[i])) {
        ATOLL_CHECK(unpack_layer(index, image.plan.layers[i], out.layers[i]));
      }
    }
    // A layer that comes again hides its earlier self entirely, and an overlay takes none twice.
    for (std::size_t i = out.layers.size(); i-- > 0;) {
      auto later = out.layers.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      if (std::find(later, out.layers.end(), out.layers[i]) != out.layers.end()) {
        out.layers.erase(later - 1);
      }
    }
    result_.images.push_back(std::move(out));
    return {};
  }

  Result<void> unpack_layer(const ArchiveIndex& index, const Blob& blob,
                            const std::string& diff_id) {
    ATOLL_TRY(UniqueFd folder, make_folder(layers_.get(), diff_id.c_str(), 0755, job_.keep_owners));
    ATOLL_TRY(UniqueFd tree, make_folder(folder.get(), "tree", 0755, job_.keep_owners));
    LayerWriter writer(std::move(tree), job_.keep_owners);
    ATOLL_TRY(std::unique_ptr<ByteStream> stream, index.open(blob.path));
    budget_.on_progress = [this](std::uint64_t count) { tell(done_ + count, total_); };
    ATOLL_TRY(LayerSums sums, read_layer(*stream, writer, budget_));
    if (sums.diff_id != diff_id || (!blob.sha256.empty() && sums.blob != blob.sha256)) {
      return fail(Code::kInvalidArgument,
                  "the layer " + shown(blob.path) + " does not match its digest");
    }
    ATOLL_CHECK(writer.finish());
    done_ += index.size_of(blob.path);
    job_.known_layers.insert(diff_id);
    result_.unpacked.push_back({.diff_id = diff_id, .size = sums.size, .files = sums.files});
    return {};
  }

  UnpackJob job_;
  Budget budget_;
  UniqueFd layers_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  UnpackResult result_;
};

}  // namespace

Result<UnpackResult> unpack(UnpackJob job) { return Unpacker(std::move(job)).run(); }

}  // namespace atl::images
