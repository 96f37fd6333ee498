#include "images/find_images.hpp"

#include "codec/sha256.hpp"
#include "images/entry_path.hpp"

namespace atl::images {
namespace {

// An index of indexes of images is as deep as tools go.
constexpr int kMaxIndexes = 4;

Result<std::string> read_blob(const ArchiveIndex& archive, const Blob& blob,
                              const UnpackLimits& limits) {
  ATOLL_TRY(std::string text, archive.read(blob.path, limits.document));
  if (!blob.sha256.empty() && codec::sha256_hex(text) != blob.sha256) {
    return fail(Code::kInvalidArgument,
                shown(blob.path) + " in the archive does not match its digest");
  }
  return text;
}

bool for_this_host(const IndexEntry& entry) {
  bool unsaid = entry.os.empty() && entry.architecture.empty();
  return !entry.attestation &&
         (unsaid || (entry.os == "linux" && entry.architecture == host_architecture()));
}

// Walks indexes down to the manifests. An image takes the name of the outermost entry that has one.
class OciWalk {
 public:
  OciWalk(const ArchiveIndex& archive, const UnpackLimits& limits)
      : archive_(archive), limits_(limits) {}

  Result<void> index(std::string_view text, const std::string& name, int depth) {
    if (depth > kMaxIndexes) {
      return fail(Code::kInvalidArgument, "the archive's indexes are nested too deep");
    }
    ATOLL_TRY(std::vector<IndexEntry> entries, parse_oci_index(text, limits_));
    for (const IndexEntry& entry : entries) {
      if (!for_this_host(entry)) {
        others_ |= !entry.attestation;
        continue;
      }
      ATOLL_TRY(std::string content, read_blob(archive_, entry.blob, limits_));
      const std::string& called = name.empty() ? entry.name : name;
      if (entry.is_index) {
        ATOLL_CHECK(index(content, called, depth + 1));
        continue;
      }
      ATOLL_TRY(ImagePlan plan, parse_oci_manifest(content, limits_));
      ATOLL_CHECK(add(std::move(plan), called));
    }
    return {};
  }

  Result<std::vector<ImagePlan>> take() {
    if (plans_.empty() && others_) {
      return fail(Code::kUnsupported,
                  "the archive has no image for linux/" + std::string(host_architecture()));
    }
    return std::move(plans_);
  }

 private:
  Result<void> add(ImagePlan plan, const std::string& name) {
    if (!name.empty()) plan.names.push_back(name);
    if (plans_.size() >= limits_.images) {
      return fail(Code::kTooLarge, "the archive has too many images");
    }
    plans_.push_back(std::move(plan));
    return {};
  }

  const ArchiveIndex& archive_;
  const UnpackLimits& limits_;
  std::vector<ImagePlan> plans_;
  bool others_ = false;  // images of other machines were passed over
};

Result<std::vector<ImagePlan>> find_plans(const ArchiveIndex& archive, const UnpackLimits& limits) {
  // Newer `docker save` writes both; its own file has the names as people gave them.
  if (archive.has("manifest.json")) {
    ATOLL_TRY(std::string text, archive.read("manifest.json", limits.document));
    return parse_docker_manifest(text, limits);
  }
  if (!archive.has("index.json")) {
    return fail(Code::kInvalidArgument,
                "not an image archive: it has neither manifest.json nor index.json");
  }
  OciWalk walk(archive, limits);
  ATOLL_TRY(std::string text, archive.read("index.json", limits.document));
  ATOLL_CHECK(walk.index(text, {}, 0));
  return walk.take();
}

Result<FoundImage> complete(const ArchiveIndex& archive, ImagePlan plan,
                            const UnpackLimits& limits) {
  ATOLL_TRY(std::string text, read_blob(archive, plan.config, limits));
  ATOLL_TRY(ConfigDocument config, parse_config(text, limits));
  if (config.os != "linux" || config.architecture != host_architecture()) {
    return fail(Code::kUnsupported,
                "the image is for " + shown(config.os + "/" + config.architecture) +
                    ", this machine is linux/" + std::string(host_architecture()));
  }
  if (config.diff_ids.size() != plan.layers.size()) {
    return fail(Code::kInvalidArgument,
                "the image's configuration and its manifest differ in the number of layers");
  }
  for (const Blob& layer : plan.layers) {
    if (!archive.has(layer.path)) {
      return fail(Code::kInvalidArgument, "the archive lacks the layer " + shown(layer.path));
    }
  }
  return FoundImage{std::move(plan), std::move(config), "sha256:" + codec::sha256_hex(text)};
}

}  // namespace

std::string_view host_architecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__aarch64__)
  return "arm64";
#else
#error "Atoll supports x86_64 and aarch64"
#endif
}

Result<std::vector<FoundImage>> find_images(const ArchiveIndex& archive,
                                            const UnpackLimits& limits) {
  ATOLL_TRY(std::vector<ImagePlan> plans, find_plans(archive, limits));
  if (plans.empty()) return fail(Code::kInvalidArgument, "the archive holds no image");
  std::vector<FoundImage> images;
  for (ImagePlan& plan : plans) {
    ATOLL_TRY(FoundImage image, complete(archive, std::move(plan), limits));
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace atl::images
