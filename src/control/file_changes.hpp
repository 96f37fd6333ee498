// Which files of the workspace an execution made, changed or removed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::control {

// From path to what changes when the file does.
using FileMap = std::map<std::string, std::tuple<std::uint64_t, std::int64_t, std::uint32_t>>;

async::Task<Result<FileMap>> workspace_files(std::shared_ptr<sandbox::Sandbox> sandbox);
// {"created":[…],"changed":[…],"removed":[…]}, 10,000 entries at most.
std::string file_changes_json(const FileMap& before, const FileMap& after);

// One of those, as it is recorded.
struct FileChange {
  std::string path;
  std::string kind;  // created_by_sandbox, changed_by_sandbox, removed_by_sandbox
};
inline constexpr std::size_t kMaxRecordedFiles = 1000;  // of one execution
std::vector<FileChange> file_changes_of(const std::string& json);

}  // namespace atl::control
