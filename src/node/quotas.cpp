#include "node/quotas.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>

#include "base/quota.hpp"

namespace atl::node {
namespace {

namespace fs = std::filesystem;

std::uint64_t less(std::uint64_t from, std::uint64_t what) { return from - std::min(from, what); }

bool fits(std::uint64_t used, std::uint64_t more, std::uint64_t most) {
  return more == 0 || (used <= most && more <= most - used);
}

}  // namespace

Amount& Amount::operator+=(const Amount& other) {
  count += other.count;
  bytes += other.bytes;
  files += other.files;
  return *this;
}

Amount& Amount::operator-=(const Amount& other) {
  count = less(count, other.count);
  bytes = less(bytes, other.bytes);
  files = less(files, other.files);
  return *this;
}

Amount growth(const Amount& before, const Amount& after) {
  Amount more = after;
  return more -= before;
}

Amount amount_in(const std::string& folder) {
  Amount amount{.count = 1};
  std::error_code closed;
  for (fs::recursive_directory_iterator each(folder, closed), end; !closed && each != end;
       each.increment(closed)) {
    std::error_code gone;
    bool is_file = fs::is_regular_file(each->symlink_status(gone));
    std::uint64_t size = is_file ? each->file_size(gone) : 0;
    ++amount.files;
    if (!gone) amount.bytes += size;
  }
  return amount;
}

std::map<std::string, Amount> amounts_in(const std::string& folder) {
  std::map<std::string, Amount> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    all[entry.path().filename().string()] = amount_in(entry.path().string());
  }
  return all;
}

Result<void> check_space(const std::string& path, const SpaceFloor& floor, std::uint64_t more) {
  struct statvfs info{};
  if (::statvfs(path.c_str(), &info) != 0) return fail_errno("reading the free space");
  std::uint64_t all = static_cast<std::uint64_t>(info.f_blocks) * info.f_frsize;
  std::uint64_t left = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  std::uint64_t least = std::min(floor.bytes, all / 100 * floor.percent);
  if (left >= least && left - least >= more) return {};
  return fail(Code::kStorageFull,
              "the server's disk is almost full (" + std::to_string(left >> 20) +
                  " MiB are free, and " + std::to_string(least >> 20) +
                  " MiB must stay free): remove something, or ask the operator for more space");
}

Ledger::Reservation::Reservation(Reservation&& other) noexcept
    : ledger_(std::exchange(other.ledger_, nullptr)),
      tenant_(std::move(other.tenant_)),
      amount_(other.amount_) {}

Ledger::Reservation::~Reservation() {
  if (ledger_ != nullptr) ledger_->remove(tenant_, amount_);
}

Result<void> Ledger::Reservation::grow(const Amount& more) {
  ATOLL_CHECK(ledger_->take(tenant_, more));
  amount_ += more;
  return {};
}

Result<Ledger::Reservation> Ledger::reserve(const std::string& tenant, const Amount& more) {
  ATOLL_CHECK(take(tenant, more));
  return Reservation(*this, tenant, more);
}

std::uint64_t Ledger::count(const std::string& tenant) const {
  auto found = used_.find(tenant);
  return found == used_.end() ? 0 : found->second.count;
}

Result<void> Ledger::check(const std::string& tenant, const Amount& more) const {
  auto found = used_.find(tenant);
  Amount used = found != used_.end() ? found->second : Amount();
  auto refuse = [&](const std::string& quota, std::uint64_t most) {
    return fail(quota_error(quota, "the tenant's quota " + quota + " is used up (" +
                                       std::to_string(most) + "): remove some first"));
  };
  if (!fits(used.count, more.count, most_.count)) return refuse(kind_ + "s", most_.count);
  if (!fits(used.bytes, more.bytes, most_.bytes)) return refuse(kind_ + "_bytes", most_.bytes);
  if (!fits(used.files, more.files, most_.files)) return refuse(kind_ + "_files", most_.files);
  return {};
}

Result<void> Ledger::take(const std::string& tenant, const Amount& more) {
  ATOLL_CHECK(check(tenant, more));
  used_[tenant] += more;
  return {};
}

}  // namespace atl::node
