// `Idempotency-Key`: a request is carried out once, and a repeated one gets what the first one
// made, also after a restart. The store keeps what was made, in the same commit as the thing
// itself; the protocol renders the answer anew.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/caller.hpp"
#include "model/made.hpp"
#include "store/store.hpp"

namespace atl::control {

struct IdempotencyKey {
  std::string key;
  std::string fingerprint;  // of everything that makes two requests the same
};

// What a service gives to a request that may be repeated.
template <typename T>
struct Outcome {
  T value;
  model::MadeState state = model::MadeState::kDone;
  bool replayed = false;  // an earlier request made it
};

class Idempotency;

// The key of one request, if it has one. While this lives, other requests with the key are refused.
class Once {
 public:
  Once() = default;  // without a key
  Once(Once&& other) noexcept;
  Once& operator=(Once&&) = delete;
  ~Once() { release(); }

  bool active() const { return owner_ != nullptr; }
  // What an earlier request with this key made: then nothing is to be done.
  const std::optional<model::Made>& earlier() const { return earlier_; }
  // To be written together with the thing. Nothing without a key.
  void add_to(std::vector<store::Change>& changes, model::Made made) const;
  // The same key for a later add_to(), without refusing anybody.
  Once without_claim() const;

 private:
  friend class Idempotency;
  Once(Idempotency* owner, std::string tenant, IdempotencyKey key)
      : owner_(owner), tenant_(std::move(tenant)), key_(std::move(key)) {}
  void release();

  Idempotency* owner_ = nullptr;
  std::string tenant_;
  IdempotencyKey key_;
  bool claimed_ = false;
  std::optional<model::Made> earlier_;
};

class Idempotency {
 public:
  Idempotency(store::Store& store, const Clock& clock, std::chrono::seconds kept)
      : store_(store), clock_(clock), kept_(kept) {}

  // kConflict while the first request still runs; kIdempotencyMismatch when the key came with
  // another request before.
  async::Task<Result<Once>> begin(Caller caller, IdempotencyKey key);

 private:
  friend class Once;
  static std::string name_of(const std::string& tenant, const std::string& key);

  store::Store& store_;
  const Clock& clock_;
  std::chrono::seconds kept_;
  std::set<std::string> running_;  // tenant NUL key
};

// The request was carried out, but what it made does not exist any more.
Error gone_since(const model::Made& made);

}  // namespace atl::control
