#include "cli/run/run_trust.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "cli/run/privileges.hpp"
#include "egress/inside.hpp"

namespace atl::cli {
namespace {

// Files without a name cannot be mounted, so they have one until the sandbox is made. Removed by
// whom this process runs as then.
class Folder {
 public:
  Folder() {
    if (::mkdtemp(path_.data()) == nullptr) path_[0] = '\0';
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (path_[0] == '\0') return;
    for (const char* name : {"/authority.pem", "/ca-certificates.crt", "/cacerts.jks"}) {
      ::unlink((path() + name).c_str());
    }
    ::rmdir(path_.data());
  }
  void forget_key() const { ::unlink((path() + "/authority.pem").c_str()); }
  Result<void> give_to(const Identity& identity) const {
    if (::geteuid() != 0) return {};
    UniqueFd folder(::open(path_.data(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder || ::fchown(folder.get(), identity.uid, identity.gid) != 0) {
      return fail_errno("giving away the folder of the trust stores");
    }
    return {};
  }
  std::string path() const { return path_.data(); }

 private:
  std::array<char, 32> path_{"/tmp/atoll-trust-XXXXXX"};
};

Result<sandbox::Mount> mount_of(const std::string& path, std::string_view target) {
  UniqueFd source(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!source) return fail_errno("opening a trust store");
  return sandbox::Mount{.source = std::move(source), .target = std::string(target)};
}

}  // namespace

Result<void> add_trust(RunPlan& plan) {
  auto folder = std::make_shared<Folder>();
  if (folder->path().empty()) return fail_errno("making a folder for the trust stores");
  ATOLL_TRY(egress::TrustFiles files, egress::trust_files(folder->path()));
  folder->forget_key();
  ATOLL_CHECK(folder->give_to(service_identity()));
  ATOLL_TRY(sandbox::Mount bundle, mount_of(files.bundle, egress::kBundleInside));
  plan.spec.mounts.push_back(std::move(bundle));
  std::string java(egress::kJavaStoreInside);
  if (plan.spec.layers.empty() && ::access(java.c_str(), F_OK) == 0) {
    ATOLL_TRY(sandbox::Mount store, mount_of(files.java_store, java));
    plan.spec.mounts.push_back(std::move(store));
  }
  plan.authority = std::move(files.authority);
  plan.trust_folder = std::move(folder);
  std::string id = plan.spec.id.str();
  for (const model::SecretUse& use : plan.network->policy.secrets) {
    if (plan.request.env.contains(use.env)) {
      return fail(Code::kInvalidArgument, "--secret " + use.env + ": -e sets the same variable");
    }
    plan.network->placeholders[use.env] = egress::placeholder_of(id, use.env);
  }
  plan.request.env.merge(egress::environment_inside(id, plan.network->policy));
  return {};
}

}  // namespace atl::cli
