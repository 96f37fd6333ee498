// `Idempotency-Key`: the same key gives the same answer, also after a restart. The row is added
// with the first change that the request makes, and the answer is put there with the last.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "store/store.hpp"

namespace atl::control {

class Idempotency {
 public:
  Idempotency(store::Store& store, const Clock& clock, std::chrono::seconds kept)
      : store_(store), clock_(clock), kept_(kept) {}

  // A request under a key that is being carried out. Destroying it lets the next one begin.
  class Running {
   public:
    Running(Idempotency* owner, std::string name) : owner_(owner), name_(std::move(name)) {}
    Running(Running&& other) noexcept;
    Running& operator=(Running&&) = delete;
    ~Running();

   private:
    Idempotency* owner_;
    std::string name_;
  };
  struct Begun {
    std::optional<store::IdempotencyRow> earlier;  // it has an answer, or names what it made
    std::optional<Running> running;                // otherwise: go on
  };
  // kConflict while the first one still runs; kInvalidArgument `idempotency_mismatch` when the key
  // came with another request before.
  async::Task<Result<Begun>> begin(std::string tenant, std::string key, std::string fingerprint);
  store::Change answer(std::string tenant, std::string key, std::string fingerprint, int status,
                       std::string body, std::string made) const;

 private:
  store::Store& store_;
  const Clock& clock_;
  std::chrono::seconds kept_;
  std::set<std::string> running_;
};

}  // namespace atl::control
