#include "backends/docker/image_view.hpp"

#include <utility>

namespace atl::backends::docker {

using async::Task;

namespace {

constexpr int kMaxLinks = 40;

// The first component of `rest` moves to the end of `path`.
std::string step_into(const std::string& path, std::string& rest) {
  std::size_t end = rest.find('/', 1);
  std::string next = path + rest.substr(0, end);
  rest = end == rest.npos ? "" : rest.substr(end);
  return next;
}

std::string without_slash(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

Task<Result<RealPath>> ImageView::resolve(std::string path) {
  RealPath real{.kind = PathKind::kFolder};
  std::string rest = without_slash(std::move(path));
  for (int links = 0; !rest.empty();) {
    std::string next = step_into(real.path, rest);
    if (real.kind != PathKind::kFolder) {  // nothing can be below it
      real = {.path = std::move(next)};
      continue;
    }
    auto seen = seen_.find(next);
    if (seen == seen_.end()) {
      ATOLL_CO_TRY(PathFacts facts, co_await look_at_(next));
      seen = seen_.emplace(next, std::move(facts)).first;
    }
    if (seen->second.kind != PathKind::kLink) {
      real = {.path = std::move(next), .kind = seen->second.kind};
      continue;
    }
    bool leads = seen->second.target.starts_with('/') && seen->second.target != next;
    if (!leads || ++links > kMaxLinks) {
      co_return fail(Code::kPolicyUnsupported,
                     "a file system rule cannot be enforced by docker: the symbolic link " + next +
                         " leads nowhere");
    }
    rest.insert(0, without_slash(seen->second.target));
    real = {.kind = PathKind::kFolder};
  }
  if (real.path.empty()) real.path = "/";
  co_return real;
}

Task<Result<sandbox::FilesystemPolicy>> ImageView::expand(sandbox::FilesystemPatterns patterns) {
  std::map<std::string, std::vector<std::string>> names;  // by folder
  ATOLL_CO_TRY(std::vector<std::string> folders, sandbox::searched_folders(patterns));
  for (const std::string& folder : folders) {
    ATOLL_CO_TRY(RealPath real, co_await resolve(folder));
    if (real.kind != PathKind::kFolder) continue;
    ATOLL_CO_TRY(std::vector<std::string> found, co_await all_below_(real.path));
    std::string top = without_slash(folder);
    for (const std::string& one : found) {
      std::size_t slash = one.rfind('/');
      std::string parent = slash == one.npos ? top : top + "/" + one.substr(0, slash);
      names[parent.empty() ? "/" : parent].push_back(one.substr(slash + 1));
    }
  }
  auto names_in = [&names](const std::string& folder, bool /*follow*/) {
    auto found = names.find(folder);
    return found == names.end() ? std::vector<std::string>() : found->second;
  };
  Result<sandbox::FilesystemPolicy> policy = sandbox::expand_policy(patterns, names_in);
  if (!policy && policy.error().code() == Code::kTooLarge) {
    co_return fail(Code::kPolicyUnsupported, policy.error().message());
  }
  co_return policy;
}

}  // namespace atl::backends::docker
