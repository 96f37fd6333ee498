#include "control/file_changes.hpp"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/json.hpp"

namespace atl::control {

using async::Task;

namespace {

constexpr std::size_t kMaxEntries = 10'000;
constexpr std::uint32_t kDepth = 64;

}  // namespace

Task<Result<FileMap>> workspace_files(std::shared_ptr<sandbox::Sandbox> sandbox) {
  ATOLL_CO_TRY(std::vector<sandbox::FileInfo> files,
               co_await sandbox->list(sandbox->workspace(), kDepth));
  FileMap map;
  for (sandbox::FileInfo& file : files) {
    if (file.kind == sandbox::FileInfo::kDirectory) continue;
    map[std::move(file.path)] = {file.size, file.mtime_ns, file.mode};
  }
  co_return map;
}

std::string file_changes_json(const FileMap& before, const FileMap& after) {
  boost::json::array created, changed, removed;
  std::size_t count = 0;
  for (const auto& [path, state] : after) {
    auto old = before.find(path);
    if (old != before.end() && old->second == state) continue;
    if (++count > kMaxEntries) break;
    (old == before.end() ? created : changed).emplace_back(path);
  }
  for (const auto& [path, state] : before) {
    if (after.contains(path)) continue;
    if (++count > kMaxEntries) break;
    removed.emplace_back(path);
  }
  return codec::serialize(boost::json::object{{"created", std::move(created)},
                                              {"changed", std::move(changed)},
                                              {"removed", std::move(removed)}});
}

std::vector<FileChange> file_changes_of(const std::string& json) {
  std::vector<FileChange> changes;
  auto parsed = codec::parse(json, {.max_bytes = json.size() + 1});
  const boost::json::object* all = parsed ? parsed->if_object() : nullptr;
  if (all == nullptr) return changes;
  for (const char* kind : {"created", "changed", "removed"}) {
    const boost::json::value* paths = all->if_contains(kind);
    if (paths == nullptr || !paths->is_array()) continue;
    for (const boost::json::value& path : paths->get_array()) {
      if (changes.size() == kMaxRecordedFiles) return changes;
      if (!path.is_string()) continue;
      changes.push_back(
          {.path = std::string(path.get_string()), .kind = std::string(kind) + "_by_sandbox"});
    }
  }
  return changes;
}

}  // namespace atl::control
