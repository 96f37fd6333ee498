// Snapshots on disk: DATA/snapshots/ID, written whole or not at all, a piece at a time both ways.
// Called on the I/O thread; the disk is touched by threads of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "async/pool.hpp"
#include "async/task.hpp"
#include "base/result.hpp"
#include "node/node.hpp"
#include "node/quotas.hpp"

namespace atl::control {

class SnapshotFiles {
 public:
  static constexpr std::uint64_t kMaxBytes = 64ull << 30;  // of one

  // An empty folder: there are no snapshots here (kUnsupported).
  SnapshotFiles(std::string folder, node::SpaceFloor floor);
  SnapshotFiles(const SnapshotFiles&) = delete;
  SnapshotFiles& operator=(const SnapshotFiles&) = delete;

  // Its size, which `place` has grown by. Nothing is left of one that fails: kQuotaExceeded,
  // kStorageFull, kTooLarge. Sandbox and place outlive the call.
  async::Task<Result<std::uint64_t>> save(sandbox::Sandbox* sandbox, std::string name,
                                          node::Ledger::Reservation* place);
  async::Task<Result<void>> restore(node::SandboxPtr sandbox, std::string name);
  async::Task<void> remove(std::string name);
  // Of all files, unfinished ones included.
  async::Task<std::vector<std::string>> names();

 private:
  struct Open;
  using OpenPtr = std::shared_ptr<Open>;
  async::Task<Result<void>> write(OpenPtr open, sandbox::Sandbox* sandbox);
  async::Task<Result<void>> append(OpenPtr open, std::string piece);
  async::Task<Result<std::string>> next_piece(OpenPtr open);

  std::string folder_;
  node::SpaceFloor floor_;
  async::Pool pool_{2};
};

}  // namespace atl::control
