// Snapshots: the writable files of a session, kept for new sessions. Everything a caller sees is of
// its tenant. On the I/O thread.
#pragma once

#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "control/idempotency.hpp"
#include "control/sessions.hpp"
#include "control/snapshot_files.hpp"
#include "model/snapshot.hpp"
#include "node/quotas.hpp"
#include "store/store.hpp"

namespace atl::control {

class Snapshots {
 public:
  // `most`: what one tenant may keep, where its quotas say no less.
  Snapshots(store::Store& store, const Clock& clock, Sessions& sessions, SnapshotFiles& files,
            const Tenants& tenants, const node::Amount& most);

  // Before anything is asked: what tenants have, and which files an earlier server left.
  async::Task<Result<void>> load();
  // Removes files of load() that belong to no snapshot.
  async::Task<void> remove_forgotten();

  // The file is on the disk and the row in the store when this returns. kQuotaExceeded,
  // kStorageFull, kTooLarge: nothing is left of it.
  async::Task<Result<Outcome<model::Snapshot>>> create(Caller caller, SessionId id,
                                                       std::string name, Once once = {});
  async::Task<Result<std::vector<model::Snapshot>>> list(Caller caller);
  // kNotFound, also for another tenant's.
  async::Task<Result<model::Snapshot>> get(Caller caller, std::string id);
  async::Task<Result<void>> remove(Caller caller, std::string id);

 private:
  async::Task<Result<Outcome<model::Snapshot>>> created_before(Caller caller, model::Made made);

  store::Store& store_;
  const Clock& clock_;
  Sessions& sessions_;
  SnapshotFiles& files_;
  const Tenants& tenants_;
  node::Ledger ledger_;
  std::vector<std::string> left_;  // names of files that were there at the start
};

}  // namespace atl::control
