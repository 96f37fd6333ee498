#include "node/packages.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/rollback.hpp"
#include "codec/sha256.hpp"
#include "node/workspace_names.hpp"
#include "observe/log.hpp"

namespace atl::node {

using async::Task;

namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = ".part";

// What a killed server left.
void remove_unfinished(const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    std::error_code ignored;
    if (entry.path().extension() == kUnfinished) fs::remove_all(entry.path(), ignored);
  }
}

Result<void> put_in_place(const std::string& tree, const std::string& folder) {
  std::error_code failed;
  fs::rename(tree, folder, failed);
  if (failed) return fail_errno("putting packages in place", failed.value());
  return {};
}

}  // namespace

Packages::Packages(async::Executor executor, PackageSettings settings, BuildRooms& rooms)
    : executor_(executor),
      settings_(std::move(settings)),
      rooms_(rooms),
      ledger_("package", settings_.most),
      tasks_(executor) {
  remove_unfinished(settings_.folder);
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(settings_.folder, failed)) {
    if (entry.path().filename().string().starts_with('@')) remove_unfinished(entry.path());
  }
}

Task<Result<std::string>> Packages::folder_of(Wanted wanted) {
  std::ranges::sort(wanted.packages);
  std::string list = wanted.installer->name + std::string("\n");
  for (const std::string& one : wanted.packages) list += one + "\n";
  std::string name = codec::sha256_hex(list).substr(0, 32);
  std::string path = settings_.folder + "/" + name;
  if (::access(path.c_str(), F_OK) == 0) co_return path;  // the server's
  if (!wanted.tenant.empty()) {
    path = settings_.folder + "/@" + folder_name(wanted.tenant) + "/" + name;
  }
  if (::access(path.c_str(), F_OK) == 0) co_return path;
  if (settings_.index_url.empty()) {
    co_return fail(Code::kNoPackageIndex,
                   "there is no index of packages: set packages.index_url in the configuration");
  }
  std::shared_ptr<Attempt> under_way = attempts_[path];
  if (!under_way) {
    under_way = attempts_[path] = std::make_shared<Attempt>();
    under_way->outcome = fail(Code::kCancelled, "the installation of packages was given up");
    if (!tasks_.spawn(attempt(under_way, path, std::move(wanted)))) {
      attempts_.erase(path);
      co_return fail(under_way->outcome.error());
    }
  }
  while (!under_way->done) co_await under_way->changed.wait();
  if (!under_way->outcome) co_return fail(under_way->outcome.error());
  co_return path;
}

Task<void> Packages::shut_down() {
  co_await tasks_.join();
  co_await rooms_.close_all();
}

Task<void> Packages::attempt(std::shared_ptr<Attempt> attempt, std::string path, Wanted wanted) {
  Rollback over;  // also when it is cancelled
  over.add([this, attempt, path] {
    attempt->done = true;
    attempts_.erase(path);
    attempt->changed.notify_all();
  });
  Result<void> outcome = co_await install_for(path, std::move(wanted));
  attempt->outcome = std::move(outcome);
}

// What the tenant has from before. A second one that comes meanwhile finds it counted.
Task<Result<void>> Packages::count(std::string tenant, std::string home) {
  if (counted_.contains(tenant)) co_return Result<void>();
  auto found = co_await async::on_pool(pool_, [&] { return amounts_in(home); });
  if (!counted_.insert(tenant).second) co_return Result<void>();
  for (const auto& [name, amount] : found) ledger_.add(tenant, amount);
  co_return Result<void>();
}

// A place first: two that come at once do not both get the last one.
Task<Result<void>> Packages::install_for(std::string path, Wanted wanted) {
  std::string home = path.substr(0, path.rfind('/'));
  std::error_code failed;
  fs::create_directories(home, failed);
  if (failed) co_return fail_errno("making a folder for packages", failed.value());
  ATOLL_CO_CHECK(check_space(home, settings_.floor));
  if (wanted.tenant.empty()) co_return co_await install(path, std::move(wanted), nullptr);
  std::string tenant = wanted.tenant;
  ATOLL_CO_CHECK(co_await count(tenant, home));
  ATOLL_CO_TRY(Ledger::Reservation place, ledger_.reserve(tenant, {.count = 1}));
  ATOLL_CO_CHECK(co_await install(path, std::move(wanted), &place));
  place.keep();
  co_return Result<void>();
}

// An installer holds what it fetches and what it makes of it: it may have twice of what is left.
Task<Result<void>> Packages::check(std::string staging, Ledger::Reservation* place,
                                   std::uint64_t bytes) {
  ATOLL_CO_CHECK(check_space(staging.substr(0, staging.rfind('/')), settings_.floor));
  if (place != nullptr) ATOLL_CO_CHECK(place->check({.bytes = bytes / 2}));
  co_return Result<void>();
}

Task<Result<void>> Packages::build(std::string staging, Wanted wanted, Ledger::Reservation* place) {
  ATOLL_CO_TRY(IndexAddress index, index_address(settings_.index_url));
  ATOLL_CO_TRY(std::vector<std::string> addresses,
               co_await async::on_pool(pool_, [&] { return look_up_host(index.host); }));
  ATOLL_CO_TRY(SandboxPtr room,
               co_await rooms_.open(std::move(wanted.backend), index, std::move(addresses)));
  PackageOrder order{.installer = wanted.installer,
                     .packages = std::move(wanted.packages),
                     .staging = staging,
                     .check = [this, staging, place](std::uint64_t bytes) {
                       return check(staging, place, bytes);
                     }};
  Result<void> built =
      co_await build_packages(executor_, room, std::move(index), std::move(order), &pool_);
  co_await rooms_.close(std::move(room));
  co_return built;
}

Task<Result<void>> Packages::install(std::string path, Wanted wanted, Ledger::Reservation* place) {
  std::string staging = path + kUnfinished;
  std::string tree = staging + "/tree";
  Result<void> outcome = co_await build(staging, std::move(wanted), place);
  if (outcome && place != nullptr) {
    Amount size = co_await async::on_pool(pool_, [&] { return amount_in(tree); });
    outcome = place->grow({.bytes = size.bytes, .files = size.files});
  }
  if (outcome) {
    outcome = co_await async::on_pool(pool_, [&] { return put_in_place(tree, path); });
  }
  co_await async::on_pool(pool_, [&] {
    std::error_code ignored;
    fs::remove_all(staging, ignored);
  });
  log::info(outcome ? "packages_installed" : "packages_failed",
            log::kv("folder", path.substr(path.rfind('/') + 1)));
  co_return outcome;
}

}  // namespace atl::node
