#include "images/import.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>

#include "images/reference.hpp"
#include "images/unpack_process.hpp"

namespace atl::images {
namespace {

std::string now_text() {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// The process that said all this has read hostile bytes, so its word is checked like a stranger's.
class Records {
 public:
  Records(const Store& store, const std::vector<LayerRecord>& unpacked) : store_(store) {
    for (const LayerRecord& layer : unpacked) new_[layer.diff_id] = layer;
  }

  Result<void> check_new() const {
    for (const auto& [id, layer] : new_) {
      if (!is_sha256_hex(id)) return fail(Code::kProtocol, "atoll-unpack spoke out of turn");
    }
    return {};
  }

  // One record per name.
  Result<void> add(const UnpackedImage& image, const std::vector<std::string>& names,
                   std::vector<Image>& into) const {
    Image record{.digest = image.digest,
                 .architecture = image.architecture,
                 .created = image.created,
                 .imported = imported_,
                 .config = image.config};
    if (digest_hex(image.digest).empty()) {
      return fail(Code::kProtocol, "atoll-unpack spoke out of turn");
    }
    for (const std::string& id : image.layers) {
      ATOLL_TRY(LayerRecord layer, layer_of(id));
      record.size += layer.size;
      record.layers.push_back(std::move(layer));
    }
    for (const std::string& name : names) {
      ATOLL_TRY(record.name, parse_reference(name));
      into.push_back(record);
    }
    return {};
  }

 private:
  Result<LayerRecord> layer_of(const std::string& id) const {
    if (auto found = new_.find(id); found != new_.end()) return found->second;
    if (!is_sha256_hex(id)) return fail(Code::kProtocol, "atoll-unpack spoke out of turn");
    return store_.layer(id);
  }

  const Store& store_;
  std::map<std::string, LayerRecord> new_;
  std::string imported_ = now_text();
};

Result<ImportReport> import_into(Store& store, const ImportJob& job) {
  ATOLL_TRY(UniqueFd importing, store.begin_import());
  ATOLL_TRY(Staging staging, store.stage());
  ATOLL_TRY(std::set<std::string> known, store.known_layers());
  ATOLL_TRY(UnpackProcess process, UnpackProcess::start(job, staging.folder(), known));
  ATOLL_TRY(UnpackResult result, process.wait(job));

  ImportReport report{.new_layers = result.unpacked.size(),
                      .skipped_nodes = result.skipped_nodes,
                      .dropped_xattrs = result.dropped_xattrs};
  Records records(store, result.unpacked);
  ATOLL_CHECK(records.check_new());
  for (const UnpackedImage& image : result.images) {
    auto names = job.name.empty() ? image.names : std::vector<std::string>{job.name};
    ATOLL_CHECK(records.add(image, names, report.images));
  }
  ATOLL_CHECK(store.commit(staging, result.unpacked, report.images));
  return report;
}

}  // namespace

Result<ImportReport> import_archive(Store& store, ImportJob job) {
  if (!job.name.empty()) {
    ATOLL_TRY(job.name, parse_reference(job.name));
  }
  Result<ImportReport> report = import_into(store, job);
  // Also after a failure: what others left, and layers whose image this one has replaced.
  Result<void> swept = store.sweep();
  if (report && !swept) return fail(swept.error());
  return report;
}

}  // namespace atl::images
