// The Store over any two connections: one writes (writer.hpp), one reads, each on a thread of its
// own; others read, write and remove output files.
#pragma once

#include <memory>
#include <string>

#include "async/pool.hpp"
#include "base/unique_fd.hpp"
#include "store/output_files.hpp"
#include "store/store.hpp"
#include "store/writer.hpp"

namespace atl::store {

struct StoreParts {
  UniqueFd lock;  // empty beside a running server
  std::unique_ptr<Connection> writer;
  std::unique_ptr<Connection> reader;
  OutputFiles outputs;
};

class DatabaseStore final : public Store {
 public:
  explicit DatabaseStore(StoreParts parts);

  async::Task<Result<void>> write(std::vector<Change> changes) override;

  async::Task<Result<model::Session>> session(SessionId id) override;
  async::Task<Result<model::Execution>> execution(ExecutionId id, bool with_output) override;
  async::Task<Result<model::Template>> find_template(std::string id) override;
  async::Task<Result<model::Key>> key(std::string id) override;
  async::Task<Result<SnapshotRow>> snapshot(std::string id) override;
  async::Task<Result<model::Secret>> secret(std::string tenant, std::string name) override;
  async::Task<Result<model::Approval>> approval(ExecutionId id) override;
  async::Task<Result<IdempotencyRow>> idempotency(std::string tenant, std::string key) override;

  async::Task<Result<std::vector<model::Session>>> sessions(SessionFilter filter,
                                                            Page page) override;
  async::Task<Result<std::vector<model::Execution>>> executions(ExecutionFilter filter,
                                                                Page page) override;
  async::Task<Result<std::vector<AuditRow>>> audit(AuditFilter filter, Page page) override;
  async::Task<Result<std::vector<model::ApprovalInfo>>> approvals(ApprovalFilter filter,
                                                                  Page page) override;
  async::Task<Result<std::vector<AuditRow>>> audit_chain(std::string chain, std::int64_t after,
                                                         std::size_t limit) override;
  async::Task<Result<std::vector<model::AuditHead>>> audit_heads() override;
  async::Task<Result<std::vector<model::Template>>> templates() override;
  async::Task<Result<std::vector<model::Key>>> keys() override;
  async::Task<Result<std::vector<ContextRow>>> contexts(SessionId session_id) override;
  async::Task<Result<std::vector<SnapshotRow>>> snapshots(std::string tenant) override;
  async::Task<Result<std::vector<model::Tenant>>> tenants() override;
  async::Task<Result<std::vector<model::SecretInfo>>> secrets(std::string tenant) override;

  async::Task<Result<std::uint64_t>> remove_old(Retention retention) override;
  async::Task<Result<void>> ping() override;
  async::Task<void> close() override;

 private:
  template <typename T>
  async::Task<Result<T>> read(std::function<Result<T>(Connection&)> query);
  async::Task<Result<void>> write_files(std::shared_ptr<std::vector<Change>> changes);
  async::Task<void> drop_files(std::shared_ptr<std::vector<Change>> changes, Code reason);

  UniqueFd lock_;
  OutputFiles outputs_;
  Writer writer_;
  std::unique_ptr<Connection> reader_;
  // Last: they are joined before what they work on goes.
  async::Pool reading_{1};
  async::Pool files_{2};
};

}  // namespace atl::store
