#include "node/packages.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "async/child.hpp"
#include "async/deadline.hpp"
#include "base/rollback.hpp"
#include "codec/sha256.hpp"
#include "node/workspace_names.hpp"
#include "observe/log.hpp"

namespace atl::node {

using async::Task;

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kInstallTime{10};
constexpr std::chrono::milliseconds kMeasured{250};  // between looks at what an installer has
                                                     // written
constexpr std::size_t kShown = 500;                  // of what an installer says
constexpr const char* kUnfinished = ".part";

// The end of what it said, which is where the reason stands.
std::string last_words(const std::string& staging) {
  std::stringstream text;
  text << std::ifstream(staging + "/said").rdbuf();
  std::string said = text.str();
  for (std::size_t at; (at = said.find(staging)) != said.npos;) said.erase(at, staging.size());
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said.size() > kShown ? "…" + said.substr(said.size() - kShown) : said;
}

// The user inside owns none of these files: he reads what everybody may read.
Result<void> put_in_place(const std::string& tree, const std::string& folder) {
  constexpr fs::perms kRead =
      fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  constexpr fs::perms kEnter =
      fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  std::error_code error;
  fs::permissions(tree, kRead | kEnter, fs::perm_options::add, error);
  for (const auto& entry : fs::recursive_directory_iterator(tree, error)) {
    if (entry.is_symlink()) continue;
    fs::perms wanted = entry.is_directory() ? kRead | kEnter : kRead;
    fs::permissions(entry.path(), wanted, fs::perm_options::add, error);
    if (error) break;
  }
  if (!error) fs::rename(tree, folder, error);
  if (error) return fail_errno("putting packages in place", error.value());
  return {};
}

// What a killed server left.
void remove_unfinished(const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    std::error_code ignored;
    if (entry.path().extension() == kUnfinished) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Packages::Packages(std::string folder, std::string index_url, Amount most, SpaceFloor floor)
    : index_url_(std::move(index_url)), floor_(floor), ledger_("package", most) {
  std::error_code failed;
  folder_ = fs::absolute(folder, failed);  // an installer starts in a folder of its own
  remove_unfinished(folder_);
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    if (entry.path().filename().string().starts_with('@')) remove_unfinished(entry.path());
  }
}

Task<Result<std::string>> Packages::folder_of(const Installer* installer,
                                              std::vector<std::string> packages,
                                              std::string tenant) {
  std::ranges::sort(packages);
  std::string list = installer->name + std::string("\n");
  for (const std::string& one : packages) list += one + "\n";
  std::string name = codec::sha256_hex(list).substr(0, 32);
  std::string path = folder_ + "/" + name;
  if (::access(path.c_str(), F_OK) == 0) co_return path;  // the server's
  if (!tenant.empty()) path = folder_ + "/@" + folder_name(tenant) + "/" + name;
  if (::access(path.c_str(), F_OK) == 0) co_return path;
  if (index_url_.empty()) {
    co_return fail(Code::kNoPackageIndex,
                   "there is no index of packages: set packages.index_url in the configuration");
  }
  std::shared_ptr<Attempt> attempt = attempts_[path];
  if (attempt) {
    while (!attempt->done) co_await attempt->changed.wait();
  } else {
    attempt = attempts_[path] = std::make_shared<Attempt>();
    attempt->outcome = fail(Code::kCancelled, "the installation of packages was given up");
    Rollback over;  // also when the caller is cancelled
    over.add([this, attempt, path] {
      attempt->done = true;
      attempts_.erase(path);
      attempt->changed.notify_all();
    });
    attempt->outcome =
        co_await install_for(installer, path, std::move(packages), std::move(tenant));
  }
  if (!attempt->outcome) co_return fail(attempt->outcome.error());
  co_return path;
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
Task<Result<void>> Packages::install_for(const Installer* installer, std::string path,
                                         std::vector<std::string> packages, std::string tenant) {
  std::string home = path.substr(0, path.rfind('/'));
  std::error_code failed;
  fs::create_directories(home, failed);
  if (failed) co_return fail_errno("making a folder for packages", failed.value());
  ATOLL_CO_CHECK(check_space(home, floor_));
  if (tenant.empty()) co_return co_await install(installer, path, std::move(packages), nullptr);
  ATOLL_CO_CHECK(co_await count(tenant, home));
  ATOLL_CO_TRY(Ledger::Reservation place, ledger_.reserve(tenant, {.count = 1}));
  ATOLL_CO_CHECK(co_await install(installer, path, std::move(packages), &place));
  place.keep();
  co_return Result<void>();
}

// An installer holds what it fetches and what it makes of it: it may have twice of what is left.
Task<Result<ChildExit>> Packages::watch(Child* installer, std::string staging,
                                        Ledger::Reservation* place) {
  using Clock = std::chrono::steady_clock;
  const async::Deadline end = async::deadline_in(kInstallTime);
  Clock::duration pause = kMeasured;
  for (;;) {
    Result<ChildExit> ended = co_await async::with_deadline(
        async::wait_child(*installer), std::min(end, async::deadline_in(pause)),
        Code::kCreateTimeout, "");
    if (ended) co_return ended;
    if (Clock::now() >= end) {
      co_return fail(Code::kCreateTimeout, "installing the packages of the template took too long");
    }
    Code why = ended.error().code();
    if (why != Code::kCreateTimeout && why != Code::kCancelled) co_return ended;
    Clock::time_point began = Clock::now();
    ATOLL_CO_CHECK(check_space(staging, floor_));
    if (place != nullptr) {
      Amount size = co_await async::on_pool(pool_, [&] { return amount_in(staging); });
      ATOLL_CO_CHECK(place->check({.bytes = size.bytes / 2, .files = size.files / 2}));
    }
    pause = std::max<Clock::duration>(kMeasured, 4 * (Clock::now() - began));
  }
}

Task<Result<void>> Packages::install(const Installer* installer, std::string path,
                                     std::vector<std::string> packages,
                                     Ledger::Reservation* place) {
  std::string staging = path + kUnfinished;
  std::string result = staging + "/" + installer->result;
  ATOLL_CO_TRY(Child running, co_await async::on_pool(pool_, [&] {
                 return start(*installer, staging, index_url_, packages);
               }));
  Result<ChildExit> ended = co_await watch(&running, staging, place);
  running = Child();  // killed where it still runs
  Result<void> outcome;
  if (!ended) {
    outcome = fail(ended.error());
  } else if (ended->code != 0) {
    std::string said = co_await async::on_pool(pool_, [&] { return last_words(staging); });
    outcome =
        fail(Code::kInvalidValue, "the packages of the template cannot be installed: " + said);
  } else if (place != nullptr) {
    Amount size = co_await async::on_pool(pool_, [&] { return amount_in(result); });
    outcome = place->grow({.bytes = size.bytes, .files = size.files});
  }
  if (outcome) {
    outcome = co_await async::on_pool(pool_, [&] { return put_in_place(result, path); });
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
