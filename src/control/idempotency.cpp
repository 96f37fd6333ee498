#include "control/idempotency.hpp"

#include <utility>

#include "base/fault.hpp"
#include "codec/names.hpp"

namespace atl::control {

using async::Task;

Once::Once(Once&& other) noexcept
    : owner_(other.owner_),
      tenant_(std::move(other.tenant_)),
      key_(std::move(other.key_)),
      claimed_(std::exchange(other.claimed_, false)),
      earlier_(std::move(other.earlier_)) {}

void Once::release() {
  if (std::exchange(claimed_, false)) {
    owner_->running_.erase(Idempotency::name_of(tenant_, key_.key));
  }
}

void Once::add_to(std::vector<store::Change>& changes, model::Made made) const {
  if (!active()) return;
  auto now = owner_->clock_.now();
  changes.push_back(store::PutIdempotency{{.tenant = tenant_,
                                           .key = key_.key,
                                           .fingerprint = key_.fingerprint,
                                           .made = std::move(made),
                                           .created_at = now}});
}

Once Once::without_claim() const { return Once(owner_, tenant_, key_); }

std::string Idempotency::name_of(const std::string& tenant, const std::string& key) {
  return tenant + '\0' + key;
}

Task<Result<Once>> Idempotency::begin(Caller caller, IdempotencyKey key) {
  Once once(this, std::move(caller.tenant), std::move(key));
  if (!running_.insert(name_of(once.tenant_, once.key_.key)).second) {
    co_return fail(Code::kConflict, "the first request with this Idempotency-Key still runs");
  }
  once.claimed_ = true;
  Result<store::IdempotencyRow> row = co_await store_.idempotency(once.tenant_, once.key_.key);
  if (!row && row.error().code() != Code::kNotFound) co_return fail(row.error());
  if (row && clock_.wall() - row->created_at <= kept_) {
    if (row->fingerprint != once.key_.fingerprint) {
      co_return fail(Code::kIdempotencyMismatch,
                     "this Idempotency-Key came with another request before: take a new one");
    }
    once.release();
    once.earlier_ = std::move(row->made);
  }
  fault::here("idempotency.begun");
  co_return once;
}

Error gone_since(const model::Made& made) {
  return Error(Code::kNotFound, "a request with this Idempotency-Key made the " +
                                    codec::enum_name(made.kind) + " " + made.id +
                                    ", which does not exist any more");
}

}  // namespace atl::control
