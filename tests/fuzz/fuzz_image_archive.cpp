// Any bytes as an image archive, as a layer, or as one of the documents in an archive. What comes
// out of the reader must be safe to act on: relative paths that climb nowhere, sizes within limits.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "images/find_images.hpp"
#include "images/layer_reader.hpp"
#include "images/reference.hpp"

namespace {

using namespace atl::images;

constexpr UnpackLimits kLimits{.bytes = 4 << 20,
                               .entries = 2000,
                               .members = 500,
                               .document = 64 << 10,
                               .ratio = 400,
                               .ratio_from = 1 << 20};

void demand(bool fact) {
  if (!fact) std::abort();
}

bool is_clean(std::string_view path) {
  std::string framed = "/" + std::string(path) + "/";
  return !path.starts_with('/') && framed.find("/../") == std::string::npos &&
         framed.find("/./") == std::string::npos && path.find("//") == std::string_view::npos &&
         path.find('\0') == std::string_view::npos && path.size() <= kLimits.path;
}

// What LayerWriter relies on.
class CheckingSink final : public LayerSink {
 public:
  atl::Result<void> begin(const LayerEntry& entry) override {
    demand(!open_);
    open_ = true;
    demand(is_clean(entry.path));
    bool top = entry.kind == EntryKind::kFolder || entry.kind == EntryKind::kOpaque;
    demand(top || !entry.path.empty());
    demand(entry.kind != EntryKind::kHardLink || (is_clean(entry.link) && !entry.link.empty()));
    demand((entry.mode & ~01777u) == 0 && entry.uid <= 65535 && entry.gid <= 65535);
    demand(entry.mtime_nanoseconds < 1'000'000'000);
    for (const auto& [name, value] : entry.xattrs) {
      demand(name.starts_with("user.") && !name.starts_with("user.overlay."));
    }
    size_ = entry.kind == EntryKind::kFile ? entry.size : 0;
    total_ += size_;
    demand(total_ <= kLimits.bytes);
    return {};
  }
  atl::Result<void> data(std::uint64_t offset, std::span<const char> bytes) override {
    demand(open_ && offset <= size_ && bytes.size() <= size_ - offset);
    return {};
  }
  atl::Result<void> end() override {
    demand(open_);
    open_ = false;
    return {};
  }

 private:
  bool open_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;
};

void read_as_layer(ByteStream& stream) {
  Budget budget(kLimits);
  CheckingSink sink;
  atl::Result<LayerSums> sums = read_layer(stream, sink, budget);
  demand(!sums || (is_sha256_hex(sums->diff_id) && is_sha256_hex(sums->blob)));
}

void read_as_archive(std::string_view bytes) {
  MemorySource source(bytes);
  atl::Result<ArchiveIndex> index = ArchiveIndex::build(source, kLimits);
  if (!index) return;
  atl::Result<std::vector<FoundImage>> images = find_images(*index, kLimits);
  if (!images) return;
  demand(!images->empty());
  for (const FoundImage& image : *images) {
    demand(image.plan.layers.size() == image.config.diff_ids.size());
    for (const Blob& layer : image.plan.layers) {
      atl::Result<std::unique_ptr<ByteStream>> stream = index->open(layer.path);
      if (stream) read_as_layer(**stream);
    }
  }
}

void read_as_document(std::string_view text) {
  (void)parse_docker_manifest(text, kLimits);
  (void)parse_oci_index(text, kLimits);
  (void)parse_oci_manifest(text, kLimits);
  (void)parse_config(text, kLimits);
  if (atl::Result<std::string> name = parse_reference(text)) {
    demand(parse_reference(*name) == *name);
    std::string file = encode_reference(*name);
    demand(file.find('/') == std::string::npos && !file.starts_with('.'));
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// A tar header with a wrong sum is refused at once, and nearly every change makes it wrong: put the
// sums right again.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned /*seed*/) {
  constexpr std::size_t kBlock = 512, kSumAt = 148, kSumSize = 8, kMagicAt = 257;
  size = LLVMFuzzerMutate(data, size, most);
  for (std::size_t at = 1; at + kBlock <= size; at += kBlock) {
    std::uint8_t* header = data + at;
    if (std::memcmp(header + kMagicAt, "ustar", 5) != 0) continue;
    std::memset(header + kSumAt, ' ', kSumSize);
    unsigned sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) sum += header[i];
    std::snprintf(reinterpret_cast<char*>(header + kSumAt), kSumSize, "%06o", sum);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'a': read_as_archive(bytes); break;
    case 'l': {
      MemorySource source(bytes);
      SourceStream stream(source);
      read_as_layer(stream);
      break;
    }
    case 'd': read_as_document(bytes); break;
    default: break;
  }
  return 0;
}
