// Outputs too large for a row: DATA/outputs/<last two characters of the id>/<execution id>. A file
// is complete and synced before its row is written, and removed after its row is gone, so a crash
// leaves at most files that no row knows; those go at the next start. What is more than
// kMaxOutputInMemory goes from file to file, and is read as a LargeOutput. Blocking: call it on a
// pool.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "model/execution.hpp"

namespace atl::store {

class OutputFiles {
 public:
  static Result<OutputFiles> open(const std::string& data_folder);

  Result<void> write(const ExecutionId& id, const model::Output& output) const;
  Result<model::Output> read(const ExecutionId& id) const;
  void remove(const std::string& id) const;
  // Everything that is not in `known`. Returns how many went.
  Result<std::uint64_t> remove_all_but(std::vector<std::string> known) const;

 private:
  explicit OutputFiles(UniqueFd folder) : folder_(std::move(folder)) {}

  UniqueFd folder_;
};

}  // namespace atl::store
