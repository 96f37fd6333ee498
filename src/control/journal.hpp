// The output of executions that clients know of, as it comes: should the server be killed, the next
// one finds here what they had printed by then. One file each, gone with the execution's end.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "control/spool.hpp"
#include "model/execution.hpp"

namespace atl::control {

class Journals {
 public:
  explicit Journals(std::string folder) : folder_(std::move(folder)) {}

  // A failure leaves an execution without a journal, which is not worth its life.
  UniqueFd begin(const ExecutionId& id) const;
  static void append(const UniqueFd& file, SpoolKind kind, std::string_view bytes);
  void remove(const ExecutionId& id) const;
  // What a killed server left of it; an unfinished last piece is dropped.
  model::Output read(const ExecutionId& id) const;
  // At a start, when nothing runs: what no execution of this list owns.
  void keep_only(const std::set<std::string>& ids) const;

 private:
  std::string path(const ExecutionId& id) const { return folder_ + "/" + id.str(); }

  std::string folder_;
};

}  // namespace atl::control
