// The OpenSandbox backend: sandboxes that a remote OpenSandbox server makes, found by their labels.
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "backends/opensandbox/remote_sandbox.hpp"
#include "http/client.hpp"
#include "sandbox/registry.hpp"

namespace atl::backends {
namespace {

using async::Task;
using opensandbox::Lifecycle;
using opensandbox::RemoteInfo;
using opensandbox::RemoteSandbox;
using opensandbox::Settings;
using sandbox::BackendOptions;
using sandbox::Cap;

constexpr std::chrono::seconds kHealthPatience{2};
constexpr std::size_t kMaxHealth = 64 << 10;

class OpenSandboxBackend final : public sandbox::Backend {
 public:
  OpenSandboxBackend(async::Executor executor, Settings settings)
      : executor_(executor),
        lifecycle_(std::make_shared<Lifecycle>(executor, std::move(settings))) {}

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> create(sandbox::SandboxSpec spec) override {
    if (!spec.mounts.empty()) {
      co_return fail(Code::kUnsupported, "OpenSandbox cannot show folders of this host");
    }
    if (!spec.patterns.empty()) {
      co_return fail(Code::kPolicyUnsupported, "OpenSandbox cannot enforce a file system policy");
    }
    if (spec.asked.pids || spec.asked.disk) {
      co_return fail(Code::kLimitUnenforceable, "OpenSandbox limits cpu and memory only");
    }
    if (spec.id.empty()) spec.id = SandboxId::make();
    co_return std::make_unique<RemoteSandbox>(executor_, lifecycle_, std::move(spec));
  }

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> reattach(SandboxId id) override {
    auto found = std::make_unique<RemoteSandbox>(executor_, lifecycle_,
                                                 sandbox::SandboxSpec{.id = std::move(id)});
    ATOLL_CO_CHECK(co_await found->find_again());
    co_return std::move(found);
  }

  Task<Result<std::vector<SandboxId>>> list() override {
    ATOLL_CO_TRY(std::vector<RemoteInfo> found, co_await lifecycle_->find(""));
    std::vector<SandboxId> ids;
    for (RemoteInfo& one : found) ids.emplace_back(one.metadata[opensandbox::kSandboxLabel]);
    co_return ids;
  }

  Task<Result<void>> destroy(SandboxId id) override {
    co_return co_await lifecycle_->remove_all_of(id.str());
  }

 private:
  async::Executor executor_;
  std::shared_ptr<Lifecycle> lifecycle_;
};

Result<std::unique_ptr<sandbox::Backend>> make_opensandbox(BackendOptions options) {
  ATOLL_TRY(Settings settings, opensandbox::settings_from(options));
  std::error_code ignored;  // the server says what is wrong with a folder
  if (!settings.volume.host_path.empty()) {
    std::filesystem::create_directories(settings.volume.host_path, ignored);
  }
  return std::make_unique<OpenSandboxBackend>(std::move(options.executor), std::move(settings));
}

constexpr const char* kSomethingElse = "something else does";

Task<Result<void>> ask_health_at(async::Executor executor, std::string server_url,
                                 std::string path) {
  async::Deadline deadline = async::deadline_in(kHealthPatience);
  opensandbox::BaseAddress address = opensandbox::split_address(server_url);
  http::Client client(executor, {.endpoint = address.endpoint});
  ATOLL_CO_TRY(http::ClientResponse answer,
               co_await client.send({.target = address.prefix + path, .deadline = deadline}));
  ATOLL_CO_TRY(std::string body, co_await answer.read_body(kMaxHealth, deadline));
  if (!answer.ok()) {
    co_return fail(Code::kBackend, "HTTP status " + std::to_string(answer.status()));
  }
  if (body.find("healthy") == body.npos) {
    co_return fail(Code::kBackend, kSomethingElse);
  }
  co_return Result<void>();
}

// Theirs answers at both paths. At a server of Atoll the first is Atoll's own.
Task<Result<void>> ask_health(async::Executor executor, std::string server_url) {
  Result<void> healthy = co_await ask_health_at(executor, server_url, "/health");
  if (healthy || healthy.error().message() != kSomethingElse) co_return healthy;
  co_return co_await ask_health_at(std::move(executor), std::move(server_url), "/v1/health");
}

// Of the server that the environment names: the one of a configuration is not known here.
Result<void> opensandbox_available() {
  Settings settings = opensandbox::settings_of(opensandbox::config_from_environment());
  Result<void> healthy = async::run_to_end<Result<void>>([&](async::Executor executor) {
    return ask_health(std::move(executor), settings.server_url);
  });
  if (healthy) return healthy;
  return fail(Code::kHostUnsupported, "no OpenSandbox server answers at " + settings.server_url +
                                          " (" + healthy.error().message() +
                                          "); start one, or set OPEN_SANDBOX_DOMAIN");
}

}  // namespace

void register_opensandbox(sandbox::Registry& registry);

void register_opensandbox(sandbox::Registry& registry) {
  registry.add(
      {.name = "opensandbox",
       .status = sandbox::Maturity::kBeta,
       .isolation = sandbox::IsolationKind::kRemote,
       .caps = {Cap::kExec, Cap::kSignals, Cap::kFiles, Cap::kSnapshot, Cap::kUsage, Cap::kPause,
                Cap::kReattach, Cap::kWritableRoot, Cap::kDomainLists},
       .lacks = {{Cap::kGuest,
                  "the server has an agent of its own: output comes as lines of "
                  "UTF-8, programs end with the connection, no contexts"},
                 {Cap::kStdin,
                  "its agent gives a running program no input, only a whole "
                  "one at the start"},
                 {Cap::kTerminal, "its published interface has none"},
                 {Cap::kWatch, "its agent cannot"},
                 {Cap::kConnect, "its ports are reached by HTTP only"},
                 {Cap::kLimits, "cpu and memory cannot be changed later"},
                 {Cap::kMounts, "the server may be another host"},
                 {Cap::kFilesystemPolicy, "its interface has none"},
                 {Cap::kNetwork, "the server says whether there is one, or keeps to lists"},
                 {Cap::kNetworkPolicy, "the server keeps to names, without ports"},
                 {Cap::kZygotes, "the server has an agent of its own"}},
       .probe = &opensandbox_available,
       .make = &make_opensandbox,
       .own_images = true,
       .lists = {.allow_others = true}});
}

}  // namespace atl::backends
