// What a tenant may keep on the server's disk, and what must stay free on it. A place is reserved
// before it is filled, so that two who come at once do not both get the last one. On the I/O
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace atl::node {

struct Amount {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;

  Amount& operator+=(const Amount& other);
  Amount& operator-=(const Amount& other);  // not below 0
};
// What `after` has more than `before`, each for itself.
Amount growth(const Amount& before, const Amount& after);

// What is in a folder of the host; links are not followed. Both block.
Amount amount_in(const std::string& folder);
std::map<std::string, Amount> amounts_in(const std::string& folder);  // of each folder in it

struct QuotaLimits {
  Amount snapshots{.count = 1000, .bytes = 100ull << 30, .files = UINT64_MAX};
  Amount workspaces{.count = 10'000, .bytes = 100ull << 30, .files = 5'000'000};
  Amount packages{.count = 100, .bytes = 20ull << 30, .files = 2'000'000};
};

// Refused below the smaller of the two, so that a small disk is still of use.
struct SpaceFloor {
  std::uint64_t bytes = 1ull << 30;
  std::uint64_t percent = 5;
};
// kStorageFull when the disk of `path` would have less than the floor after `more` bytes. Blocks.
Result<void> check_space(const std::string& path, const SpaceFloor& floor, std::uint64_t more = 0);

// One kind of things, of all tenants.
class Ledger {
 public:
  // Gives back what is not kept.
  class Reservation {
   public:
    Reservation(Ledger& ledger, std::string tenant, Amount amount)
        : ledger_(&ledger), tenant_(std::move(tenant)), amount_(amount) {}
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&&) = delete;
    ~Reservation();
    Result<void> grow(const Amount& more);
    Result<void> check(const Amount& more) const { return ledger_->check(tenant_, more); }
    void keep() { ledger_ = nullptr; }

   private:
    Ledger* ledger_;
    std::string tenant_;
    Amount amount_;
  };

  // `kind` as in the names of its quotas: "snapshot" has snapshots, snapshot_bytes, snapshot_files.
  Ledger(std::string kind, Amount most) : kind_(std::move(kind)), most_(most) {}

  // kQuotaExceeded.
  Result<Reservation> reserve(const std::string& tenant, const Amount& more);
  void add(const std::string& tenant, const Amount& amount) { used_[tenant] += amount; }
  void remove(const std::string& tenant, const Amount& amount) { used_[tenant] -= amount; }
  // With what is reserved.
  std::uint64_t count(const std::string& tenant) const;
  void set(const std::string& tenant, const Amount& amount) { used_[tenant] = amount; }

 private:
  // Whether so much more would be taken.
  Result<void> check(const std::string& tenant, const Amount& more) const;
  Result<void> take(const std::string& tenant, const Amount& more);

  std::string kind_;
  Amount most_;
  std::map<std::string, Amount> used_;  // by tenant; with what is reserved
};

}  // namespace atl::node
