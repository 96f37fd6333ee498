// The chain of audit rows: the hash of each is over the row and the hash before it, so that whoever
// computes them again finds a row that was changed, removed or moved. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/audit.hpp"

namespace atl::model {

// What is hashed of a row, behind the hash before it: every member with its length. `action` is
// its name.
std::string chained_text(const AuditRow& row, std::string_view action);

// The last row of a chain, and what its oldest row that is still kept follows.
struct AuditHead {
  std::string chain;
  std::int64_t seq = 0;
  std::string hash;
  std::int64_t removed_seq = 0;
  std::string removed_hash;
};

// Goes along a chain from its oldest row.
class ChainCheck {
 public:
  using Hash = std::string (*)(std::string_view bytes);

  ChainCheck(Hash hash, std::int64_t before, std::string before_hash)
      : hash_(hash), seq_(before), last_(std::move(before_hash)) {}

  // Why the chain is broken at this row; empty: it is not.
  std::string take(const AuditRow& row, std::string_view action);
  std::int64_t seq() const { return seq_; }
  const std::string& hash() const { return last_; }

 private:
  Hash hash_;
  std::int64_t seq_;
  std::string last_;
};

}  // namespace atl::model
