#include "images/documents.hpp"

#include "codec/json.hpp"
#include "images/entry_path.hpp"
#include "images/reference.hpp"

namespace atl::images {
namespace {

using boost::json::value;

std::unexpected<Error> wrong(std::string_view document, std::string_view what) {
  return fail(Code::kInvalidArgument,
              std::string(document).append(" in the archive ").append(what));
}

Result<value> parse(std::string_view text, std::string_view document, const UnpackLimits& limits) {
  auto parsed = codec::parse(text, {.max_bytes = limits.document, .max_depth = 32});
  if (parsed) return std::move(*parsed);
  return wrong(document, parsed.error().detail);
}

// Looks only; a missing member and one of another type are both "not there".
const value* member(const value* from, std::string_view key) {
  const boost::json::object* object = from != nullptr ? from->if_object() : nullptr;
  return object != nullptr ? object->if_contains({key.data(), key.size()}) : nullptr;
}

std::string text_of(const value* from) {
  const boost::json::string* text = from != nullptr ? from->if_string() : nullptr;
  return text != nullptr ? std::string(text->data(), text->size()) : std::string();
}

std::string text_of(const value* from, std::string_view key) { return text_of(member(from, key)); }

// The strings of a list; null and absent are an empty one.
Result<std::vector<std::string>> texts_of(const value* from, std::string_view key,
                                          std::string_view document) {
  std::vector<std::string> texts;
  const value* found = member(from, key);
  if (found == nullptr || found->is_null()) return texts;
  const boost::json::array* list = found->if_array();
  if (list == nullptr) return wrong(document, "has something else than a list of texts");
  for (const value& item : *list) {
    const boost::json::string* text = item.if_string();
    if (text == nullptr) return wrong(document, "has something else than a list of texts");
    if (text->find('\0') != boost::json::string::npos) return wrong(document, "has a NUL byte");
    texts.emplace_back(text->data(), text->size());
  }
  return texts;
}

// What a descriptor {"digest": "sha256:…"} points to.
Result<Blob> blob_of(const value* descriptor, std::string_view document) {
  std::string digest = text_of(descriptor, "digest");
  std::string_view hex = digest_hex(digest);
  if (hex.empty()) return wrong(document, "names something without a SHA-256 digest");
  return Blob{.path = "blobs/sha256/" + std::string(hex), .sha256 = std::string(hex)};
}

// Docker names by path; a path made of a digest is as good as one.
Result<Blob> blob_at(const std::string& name, const UnpackLimits& limits) {
  ATOLL_TRY(std::string path, clean_path(name, limits));
  std::string_view last = std::string_view(path).substr(path.rfind('/') + 1);
  if (last.ends_with(".json")) last.remove_suffix(5);
  return Blob{.path = path, .sha256 = is_sha256_hex(last) ? std::string(last) : std::string()};
}

Result<void> check_layer_count(std::size_t count, const UnpackLimits& limits) {
  if (count <= limits.layers) return {};
  return fail(Code::kTooLarge,
              "an image in the archive has more than " + std::to_string(limits.layers) + " layers");
}

}  // namespace

Result<std::vector<ImagePlan>> parse_docker_manifest(std::string_view text,
                                                     const UnpackLimits& limits) {
  constexpr std::string_view kName = "manifest.json";
  ATOLL_TRY(value document, parse(text, kName, limits));
  const boost::json::array* images = document.if_array();
  if (images == nullptr) return wrong(kName, "is not a list of images");
  if (images->size() > limits.images) return wrong(kName, "names too many images");
  std::vector<ImagePlan> plans;
  for (const value& image : *images) {
    ImagePlan plan;
    ATOLL_TRY(plan.names, texts_of(&image, "RepoTags", kName));
    std::string config = text_of(&image, "Config");
    if (config.empty()) return wrong(kName, "has an image without a configuration");
    ATOLL_TRY(plan.config, blob_at(config, limits));
    ATOLL_TRY(std::vector<std::string> layers, texts_of(&image, "Layers", kName));
    ATOLL_CHECK(check_layer_count(layers.size(), limits));
    for (const std::string& layer : layers) {
      ATOLL_TRY(Blob blob, blob_at(layer, limits));
      plan.layers.push_back(std::move(blob));
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

Result<std::vector<IndexEntry>> parse_oci_index(std::string_view text, const UnpackLimits& limits) {
  constexpr std::string_view kName = "an index";
  ATOLL_TRY(value document, parse(text, kName, limits));
  const value* list = member(&document, "manifests");
  const boost::json::array* manifests = list != nullptr ? list->if_array() : nullptr;
  if (manifests == nullptr) return wrong(kName, "has no list of manifests");
  if (manifests->size() > limits.images) return wrong(kName, "names too many images");
  std::vector<IndexEntry> entries;
  for (const value& one : *manifests) {
    IndexEntry entry;
    ATOLL_TRY(entry.blob, blob_of(&one, kName));
    std::string type = text_of(&one, "mediaType");
    entry.is_index =
        type.find("index") != std::string::npos || type.find("manifest.list") != std::string::npos;
    const value* platform = member(&one, "platform");
    entry.os = text_of(platform, "os");
    entry.architecture = text_of(platform, "architecture");
    const value* notes = member(&one, "annotations");
    entry.name = text_of(notes, "io.containerd.image.name");
    if (entry.name.empty()) entry.name = text_of(notes, "org.opencontainers.image.ref.name");
    entry.attestation = !text_of(notes, "vnd.docker.reference.type").empty();
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<ImagePlan> parse_oci_manifest(std::string_view text, const UnpackLimits& limits) {
  constexpr std::string_view kName = "a manifest";
  ATOLL_TRY(value document, parse(text, kName, limits));
  ImagePlan plan;
  ATOLL_TRY(plan.config, blob_of(member(&document, "config"), kName));
  const value* list = member(&document, "layers");
  const boost::json::array* layers = list != nullptr ? list->if_array() : nullptr;
  if (layers == nullptr) return wrong(kName, "has no list of layers");
  ATOLL_CHECK(check_layer_count(layers->size(), limits));
  for (const value& layer : *layers) {
    ATOLL_TRY(Blob blob, blob_of(&layer, kName));
    plan.layers.push_back(std::move(blob));
  }
  return plan;
}

Result<ConfigDocument> parse_config(std::string_view text, const UnpackLimits& limits) {
  constexpr std::string_view kName = "a configuration";
  ATOLL_TRY(value document, parse(text, kName, limits));
  ConfigDocument out{.os = text_of(&document, "os"),
                     .architecture = text_of(&document, "architecture"),
                     .created = text_of(&document, "created")};
  const value* config = member(&document, "config");
  ATOLL_TRY(out.config.env, texts_of(config, "Env", kName));
  ATOLL_TRY(out.config.entrypoint, texts_of(config, "Entrypoint", kName));
  ATOLL_TRY(out.config.cmd, texts_of(config, "Cmd", kName));
  out.config.workdir = text_of(config, "WorkingDir");
  out.config.user = text_of(config, "User");
  ATOLL_TRY(std::vector<std::string> ids, texts_of(member(&document, "rootfs"), "diff_ids", kName));
  for (const std::string& id : ids) {
    std::string_view hex = digest_hex(id);
    if (hex.empty()) return wrong(kName, "has a layer without a SHA-256 digest");
    out.diff_ids.emplace_back(hex);
  }
  return out;
}

}  // namespace atl::images
