#include "backends/docker/policy.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "sandbox/fs_policy.hpp"

namespace atl::backends::docker {
namespace {

using async::Task;
using sandbox::is_below;

// Writable from the start, and empty.
constexpr std::string_view kPlaces[] = {"/workspace", "/tmp"};
// One process's files, devices that everybody needs, the guest.
constexpr std::string_view kSystem[] = {"/proc", "/dev", "/sys", "/opt/atoll", "/run/atoll"};
// Mounted by the engine itself.
constexpr std::string_view kEngineFiles[] = {"/etc/hosts", "/etc/hostname", "/etc/resolv.conf"};

bool is_at_or_below(std::string_view path, std::string_view place) {
  return path == place || is_below(path, place);
}

// Whether one of them is the path or lies above it.
template <typename Paths>
bool covers(const Paths& places, std::string_view path) {
  return std::ranges::any_of(places, [&](const auto& one) { return is_at_or_below(path, one); });
}

// Whether one of them lies below the path.
template <typename Paths>
bool reaches_into(std::string_view path, const Paths& places) {
  return std::ranges::any_of(places, [&](const auto& one) { return is_below(one, path); });
}

struct Rule {
  std::string text;
  std::string path;
  PathKind kind = PathKind::kMissing;
};

std::unexpected<Error> cannot(const Rule& rule, const char* why) {
  return fail(Code::kPolicyUnsupported, "the file system rule " + to_utf8(rule.text) +
                                            " cannot be enforced by docker: " + why);
}

Result<void> check_reach(const Rule& rule) {
  if (!is_utf8(rule.path)) return cannot(rule, "its name is no UTF-8");
  if (covers(kSystem, rule.path)) return cannot(rule, "it is the system's own");
  if (rule.path == "/") return cannot(rule, "the guest lives below it");
  return {};
}

// What the image has not may still be there.
Result<void> check_around_hidden(const Rule& rule, const Surroundings& around) {
  if (reaches_into(rule.path, kSystem)) return cannot(rule, "the guest lives below it");
  for (const MountTarget& mount : around.mounts) {
    if (is_at_or_below(mount.path, rule.path)) return cannot(rule, "a mount is in it");
    if (is_below(rule.path, mount.path)) return cannot(rule, "it is in a mount");
  }
  return {};
}

Result<void> check_hidden(const Rule& rule, const Surroundings& around) {
  if (reaches_into(rule.path, kEngineFiles)) return cannot(rule, "the engine has files in it");
  if (reaches_into(rule.path, around.volumes)) return cannot(rule, "the image has a volume in it");
  return {};
}

Result<void> check_read_only(const Rule& rule, const Surroundings& around) {
  for (const MountTarget& mount : around.mounts) {
    bool touches = is_at_or_below(mount.path, rule.path) || is_below(rule.path, mount.path);
    if (touches && !mount.read_only) return cannot(rule, "a writable mount is there");
  }
  return {};
}

Result<void> check_writable(const Rule& rule, const Surroundings& around) {
  if (rule.kind != PathKind::kFolder) return cannot(rule, "the image has no such folder");
  if (reaches_into(rule.path, kSystem)) return cannot(rule, "the guest lives below it");
  for (const std::string& volume : around.volumes) {
    if (is_below(rule.path, volume)) return cannot(rule, "it is in a volume of the image");
  }
  for (const MountTarget& mount : around.mounts) {
    if (is_at_or_below(rule.path, mount.path)) return cannot(rule, "it is in a mount");
  }
  return {};
}

// Sorted, without those that say nothing new.
void tidy(std::vector<Rule>& rules) {
  std::ranges::sort(rules, {}, &Rule::path);
  std::vector<Rule> kept;
  for (Rule& rule : rules) {
    auto covered = [&](const Rule& other) { return is_at_or_below(rule.path, other.path); };
    if (std::ranges::none_of(kept, covered)) kept.push_back(std::move(rule));
  }
  rules = std::move(kept);
}

Task<Result<std::vector<Rule>>> real_rules(std::vector<std::string> paths,
                                           std::shared_ptr<ImageView> view) {
  std::vector<Rule> rules;
  for (std::string& path : paths) {
    Rule rule{.text = path, .path = path};
    if (!covers(kPlaces, path)) {  // what the image has there is covered
      ATOLL_CO_TRY(RealPath real, co_await view->resolve(path));
      rule.path = std::move(real.path);
      rule.kind = real.kind;
    }
    rules.push_back(std::move(rule));
  }
  tidy(rules);
  co_return rules;
}

class Mounting {
 public:
  explicit Mounting(const Surroundings& around) : around_(around) {}

  Result<PolicyMounts> plan(const std::vector<Rule>& allow_write, std::vector<Rule> deny_write,
                            const std::vector<Rule>& deny_read) {
    for (const Rule& rule : allow_write) {
      bool open_anyway = covers(kPlaces, rule.path) || is_at_or_below(rule.path, "/dev/shm");
      if (open_anyway || is_denied(deny_write, rule) || is_denied(deny_read, rule)) continue;
      ATOLL_CHECK(check_reach(rule));
      ATOLL_CHECK(check_writable(rule, around_));
      mounts_.writable.push_back(rule.path);
    }
    const std::vector<std::string> regions = mounts_.writable;
    for (const Rule& rule : deny_read) {
      ATOLL_CHECK(check_reach(rule));
      if (!is_empty_at_first(rule.path, regions)) {
        ATOLL_CHECK(hide(rule));
      } else if (std::ranges::any_of(deny_write, [&](const Rule& other) {
                   return is_below(other.path, rule.path);
                 })) {
        deny_write.push_back(rule);  // there will be something, so that it must be held
      }
    }
    tidy(deny_write);
    for (const Rule& rule : deny_write) {
      ATOLL_CHECK(check_reach(rule));
      ATOLL_CHECK(check_read_only(rule, around_));
      if (!covers(mounts_.hidden, rule.path)) hold(rule, regions);
    }
    return std::move(mounts_);
  }

 private:
  static bool is_denied(const std::vector<Rule>& denied, const Rule& rule) {
    return std::ranges::any_of(
        denied, [&](const Rule& one) { return is_at_or_below(rule.path, one.path); });
  }

  // What is there later the sandbox has made itself.
  static bool is_empty_at_first(std::string_view path, const std::vector<std::string>& regions) {
    bool in_place = std::ranges::any_of(kPlaces, [&](auto one) { return is_below(path, one); });
    return in_place || covers(regions, path);
  }

  Result<void> hide(const Rule& rule) {
    ATOLL_CHECK(check_around_hidden(rule, around_));
    bool is_place = std::ranges::find(kPlaces, rule.path) != std::end(kPlaces);
    if (!is_place && (rule.kind == PathKind::kMissing || covers(around_.volumes, rule.path))) {
      return {};
    }
    ATOLL_CHECK(check_hidden(rule, around_));
    bool is_folder = is_place || rule.kind == PathKind::kFolder;
    (is_folder ? mounts_.hidden : mounts_.hidden_files).push_back(rule.path);
    return {};
  }

  // A name that nobody may make is held by a stand-in. Each folder above it is a mount as well:
  // else it could be renamed away together with it. Elsewhere the root is read-only.
  void hold(const Rule& rule, const std::vector<std::string>& regions) {
    if (std::ranges::find(kPlaces, rule.path) != std::end(kPlaces)) {
      mounts_.read_only.push_back(rule.path);
      return;
    }
    std::string_view region;
    for (std::string_view place : kPlaces) {
      if (is_below(rule.path, place)) region = place;
    }
    for (const std::string& one : regions) {
      if (is_below(rule.path, one)) region = one;
    }
    if (region.empty()) return;
    for (std::size_t end = rule.path.find('/', region.size() + 1); end != rule.path.npos;
         end = rule.path.find('/', end + 1)) {
      std::string folder = rule.path.substr(0, end);
      if (std::ranges::find(mounts_.writable, folder) == mounts_.writable.end()) {
        mounts_.writable.push_back(std::move(folder));
      }
    }
    mounts_.hidden_files.push_back(rule.path);
  }

  const Surroundings& around_;
  PolicyMounts mounts_;
};

}  // namespace

Task<Result<PolicyMounts>> policy_mounts(sandbox::FilesystemPatterns patterns, Surroundings around,
                                         std::shared_ptr<ImageView> view) {
  ATOLL_CO_TRY(sandbox::FilesystemPolicy policy, co_await view->expand(std::move(patterns)));
  for (std::string_view place : kPlaces) {
    ATOLL_CO_TRY(RealPath real, co_await view->resolve(std::string(place)));
    if (real.path == place) continue;
    co_return cannot({.text = std::string(place)}, "it is a symbolic link in the image");
  }
  for (MountTarget& mount : around.mounts) {
    ATOLL_CO_TRY(RealPath real, co_await view->resolve(mount.path));
    mount.path = std::move(real.path);
  }
  for (std::string& volume : around.volumes) {
    ATOLL_CO_TRY(RealPath real, co_await view->resolve(volume));
    volume = std::move(real.path);
  }
  ATOLL_CO_TRY(std::vector<Rule> allow_write,
               co_await real_rules(std::move(policy.allow_write), view));
  ATOLL_CO_TRY(std::vector<Rule> deny_write,
               co_await real_rules(std::move(policy.deny_write), view));
  ATOLL_CO_TRY(std::vector<Rule> deny_read, co_await real_rules(std::move(policy.deny_read), view));
  co_return Mounting(around).plan(allow_write, std::move(deny_write), deny_read);
}

}  // namespace atl::backends::docker
