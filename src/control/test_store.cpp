#include "control/test_store.hpp"

#include <utility>

namespace atl::control::test {
namespace {

using async::Task;
using namespace store;

class WatchedStore final : public Store {
 public:
  WatchedStore(std::unique_ptr<Store> inner, OnWrite on_write)
      : inner_(std::move(inner)), on_write_(std::move(on_write)) {}

  Task<Result<void>> write(std::vector<Change> changes) override {
    ATOLL_CO_CHECK(co_await on_write_(&changes));
    co_return co_await inner_->write(std::move(changes));
  }

  Task<Result<model::Session>> session(SessionId id) override {
    return inner_->session(std::move(id));
  }
  Task<Result<model::Execution>> execution(ExecutionId id, bool with_output) override {
    return inner_->execution(std::move(id), with_output);
  }
  Task<Result<model::Template>> find_template(std::string id) override {
    return inner_->find_template(std::move(id));
  }
  Task<Result<model::Key>> key(std::string id) override { return inner_->key(std::move(id)); }
  Task<Result<SnapshotRow>> snapshot(std::string id) override {
    return inner_->snapshot(std::move(id));
  }
  Task<Result<model::Secret>> secret(std::string tenant, std::string name) override {
    return inner_->secret(std::move(tenant), std::move(name));
  }
  Task<Result<model::Approval>> approval(ExecutionId id) override {
    return inner_->approval(std::move(id));
  }
  Task<Result<std::vector<model::ApprovalInfo>>> approvals(ApprovalFilter filter,
                                                           Page page) override {
    return inner_->approvals(std::move(filter), std::move(page));
  }
  Task<Result<IdempotencyRow>> idempotency(std::string tenant, std::string key) override {
    return inner_->idempotency(std::move(tenant), std::move(key));
  }
  Task<Result<std::vector<model::Session>>> sessions(SessionFilter filter, Page page) override {
    return inner_->sessions(std::move(filter), std::move(page));
  }
  Task<Result<std::vector<model::Execution>>> executions(ExecutionFilter filter,
                                                         Page page) override {
    return inner_->executions(std::move(filter), std::move(page));
  }
  Task<Result<std::vector<model::Template>>> templates() override { return inner_->templates(); }
  Task<Result<std::vector<model::Key>>> keys() override { return inner_->keys(); }
  Task<Result<std::vector<ContextRow>>> contexts(SessionId session_id) override {
    return inner_->contexts(std::move(session_id));
  }
  Task<Result<std::vector<SnapshotRow>>> snapshots(std::string tenant) override {
    return inner_->snapshots(std::move(tenant));
  }
  Task<Result<std::vector<AuditRow>>> audit_chain(std::string chain, std::int64_t after,
                                                  std::size_t limit) override {
    return inner_->audit_chain(std::move(chain), after, limit);
  }
  Task<Result<std::vector<model::AuditHead>>> audit_heads() override {
    return inner_->audit_heads();
  }
  Task<Result<std::vector<model::Tenant>>> tenants() override { return inner_->tenants(); }
  Task<Result<std::vector<model::SecretInfo>>> secrets(std::string tenant) override {
    return inner_->secrets(std::move(tenant));
  }
  Task<Result<std::vector<AuditRow>>> audit(AuditFilter filter, Page page) override {
    return inner_->audit(std::move(filter), std::move(page));
  }
  Task<Result<std::uint64_t>> remove_old(Retention retention) override {
    return inner_->remove_old(retention);
  }
  Task<Result<void>> ping() override { return inner_->ping(); }
  Task<void> close() override { return inner_->close(); }

 private:
  std::unique_ptr<Store> inner_;
  OnWrite on_write_;
};

}  // namespace

std::unique_ptr<Store> watched(std::unique_ptr<Store> inner, OnWrite on_write) {
  return std::make_unique<WatchedStore>(std::move(inner), std::move(on_write));
}

}  // namespace atl::control::test
