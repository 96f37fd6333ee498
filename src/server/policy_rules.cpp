#include "server/policy_rules.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "async/deadline.hpp"
#include "cli/core/files.hpp"
#include "observe/log.hpp"

namespace atl::server {

using async::Task;

namespace {

constexpr std::chrono::seconds kLookAgain{1};
constexpr std::uint64_t kMaxFile = 1u << 20;

// Of the file's content, as far as the system tells; its error when there is none.
std::string stamp_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return "errno " + std::to_string(errno);
  return std::to_string(info.st_ino) + " " + std::to_string(info.st_size) + " " +
         std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec);
}

Result<control::Decider::RulesPtr> read_rules(const std::string& path) {
  ATOLL_TRY(std::string text, cli::read_file(path, kMaxFile, "the rules " + path));
  Result<policy::Rules> rules = policy::Rules::over_shipped(text);
  if (!rules) return fail(std::move(rules).error().at(path));
  return std::make_shared<const policy::Rules>(std::move(*rules));
}

}  // namespace

PolicyRules::Seen PolicyRules::look() {
  std::string stamp = stamp_of(path_);
  if (stamp == stamp_) return {};
  stamp_ = std::move(stamp);
  return {.changed = true, .rules = read_rules(path_)};
}

Task<Result<void>> PolicyRules::load() {
  if (path_.empty()) co_return Result<void>();
  Seen seen = co_await async::on_pool(pool_, [this] { return look(); });
  if (!seen.rules) {
    co_return fail(Code::kInvalidValue,
                   "policy.rules " + path_ + ": " + seen.rules.error().message());
  }
  decider_.set_rules(std::move(*seen.rules));
  co_return Result<void>();
}

Task<void> PolicyRules::watch() {
  if (path_.empty()) co_return;
  for (;;) {
    co_await async::sleep_for(kLookAgain);
    Seen seen = co_await async::on_pool(pool_, [this] { return look(); });
    if (!seen.changed) continue;
    if (!seen.rules) {
      log::error("policy_rules_refused", log::kv("path", path_),
                 log::kv("error", seen.rules.error().to_string()));
      continue;
    }
    decider_.set_rules(std::move(*seen.rules));
    log::info("policy_rules_loaded", log::kv("path", path_));
  }
}

}  // namespace atl::server
