// The native backend: sandboxes made of Linux namespaces by atoll-launcher.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "backends/native/config.hpp"
#include "backends/native/launcher_client.hpp"
#include "backends/native/launcher_process.hpp"
#include "backends/native/native_sandbox.hpp"
#include "backends/native/zygotes.hpp"
#include "base/program_folder.hpp"
#include "sandbox/registry.hpp"

namespace atl::backends {
namespace {

using async::Task;
using native::LauncherClient;
using native::NativeSandbox;
using sandbox::BackendOptions;
using sandbox::Cap;
using sandbox::Sandbox;

class NativeBackend : public sandbox::Backend {
 public:
  NativeBackend(async::Executor executor, UniqueFd control, std::string run_folder,
                std::string state_folder, bool once)
      : executor_(executor),
        launcher_(std::make_shared<LauncherClient>(executor, std::move(control))),
        tokens_(std::move(state_folder)),
        run_folder_(std::move(run_folder)),
        once_(once) {}

  Task<Result<std::unique_ptr<Sandbox>>> create(sandbox::SandboxSpec spec) override {
    co_return std::make_unique<NativeSandbox>(executor_, launcher_, tokens_, run_folder_, once_,
                                              std::move(spec));
  }

  Task<Result<std::unique_ptr<Sandbox>>> reattach(SandboxId id) override {
    ATOLL_CO_TRY(guest::Token token, tokens_.find(id));
    ATOLL_CO_TRY(engine::LauncherReply reply,
                 co_await launcher_->call(engine::LauncherOp::kUsage, id));
    co_return std::make_unique<NativeSandbox>(executor_, launcher_, tokens_, run_folder_, id, token,
                                              reply.walls);
  }

  Task<Result<sandbox::ZygoteReport>> prepare(sandbox::Preload preload) override {
    return native::start_zygote(executor_, launcher_, std::move(preload));
  }

  // Also those of which nothing but the token is left.
  Task<Result<std::vector<SandboxId>>> list() override {
    ATOLL_CO_TRY(std::vector<SandboxId> ids, co_await launcher_->list());
    for (SandboxId& id : tokens_.all()) {
      if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
    }
    co_return ids;
  }

  Task<Result<void>> destroy(SandboxId id) override {
    auto reply = co_await launcher_->call(engine::LauncherOp::kDestroy, id);
    if (!reply && reply.error().code() != Code::kNotFound) co_return fail(reply.error());
    tokens_.forget(id);
    co_return Result<void>();
  }

  bool is_lost() const override { return launcher_->is_gone(); }
  Task<void> until_lost() override {
    std::shared_ptr<LauncherClient> launcher = launcher_;
    co_await launcher->until_gone();
  }

 private:
  async::Executor executor_;
  std::shared_ptr<LauncherClient> launcher_;
  sandbox::Tokens tokens_;
  std::string run_folder_;
  bool once_;
};

// A launcher that is to stay lends nobody root's files: `own` is the uid or the gid of this
// process.
uid_t lent_id(bool once, uid_t own) {
  constexpr uid_t kNobody = 65534;
  return once || ::geteuid() != 0 ? own : kNobody;
}

std::string run_folder_of(const BackendOptions& options) {
  if (options.run_folder.find('/') != std::string::npos) return options.run_folder;
  std::string folder = sandbox::config_of<native::Config>(options).run_dir;
  if (folder.empty()) folder = native::default_run_folder();
  return options.run_folder.empty() ? folder : folder + "/" + options.run_folder;
}

// Also for an ordinary user: afterwards no program that this process starts can gain the second uid
// that newuidmap gives.
Result<sandbox::Prepared> prepare_native(const BackendOptions& options, unsigned uid,
                                         unsigned gid) {
  sandbox::Prepared prepared{.run_folder = run_folder_of(options)};
  native::LauncherOptions launcher{.run_folder = prepared.run_folder,
                                   .client_uid = uid,
                                   .mount_owner = options.once ? ::getuid() : uid,
                                   .mount_group = options.once ? ::getgid() : gid,
                                   .data_folder = options.image_folder,
                                   .once = options.once};
  ATOLL_TRY(prepared.control, native::start_launcher(launcher));
  return prepared;
}

Result<std::unique_ptr<sandbox::Backend>> make_native(BackendOptions options) {
  // The default folder depends on who this process is, and it was somebody else before.
  std::string run_folder = std::move(options.prepared.run_folder);
  if (run_folder.empty()) run_folder = run_folder_of(options);
  UniqueFd control = std::move(options.prepared.control);
  if (!control) {
    native::LauncherOptions launcher{.run_folder = run_folder,
                                     .client_uid = ::geteuid(),
                                     .mount_owner = lent_id(options.once, ::geteuid()),
                                     .mount_group = lent_id(options.once, ::getegid()),
                                     .once = options.once};
    ATOLL_TRY(control, native::start_launcher(launcher));
  }
  return std::make_unique<NativeBackend>(options.executor, std::move(control),
                                         std::move(run_folder), std::move(options.state_folder),
                                         options.once);
}

Result<void> native_available() {
  ATOLL_TRY(std::string folder, program_folder());
  for (const char* name : {"/atoll-launcher", "/atoll-guest"}) {
    if (::access((folder + name).c_str(), X_OK) != 0) {
      return fail(Code::kHostUnsupported,
                  std::string(name + 1) + " is missing; it must lie beside this program");
    }
  }
  int limit = 1;
  UniqueFd file(::open("/proc/sys/user/max_user_namespaces", O_RDONLY | O_CLOEXEC));
  char text[16] = {};
  if (file && ::read(file.get(), text, sizeof text - 1) > 0) std::sscanf(text, "%d", &limit);
  if (limit == 0)
    return fail(Code::kHostUnsupported, "user namespaces are off; raise user.max_user_namespaces");
  return {};
}

}  // namespace

void register_native(sandbox::Registry& registry) {
  registry.add({.name = "native",
                .status = sandbox::Maturity::kStable,
                .isolation = sandbox::IsolationKind::kNamespaces,
                .caps = {Cap::kExec,          Cap::kGuest,
                         Cap::kStdin,         Cap::kSignals,
                         Cap::kTerminal,      Cap::kFiles,
                         Cap::kWatch,         Cap::kConnect,
                         Cap::kSnapshot,      Cap::kUsage,
                         Cap::kPause,         Cap::kReattach,
                         Cap::kLimits,        Cap::kFilesystemPolicy,
                         Cap::kMounts,        Cap::kWritableRoot,
                         Cap::kNetwork,       Cap::kDomainLists,
                         Cap::kNetworkPolicy, Cap::kZygotes},
                .probe = &native_available,
                .make = &make_native,
                .prepare_as_root = &prepare_native});
}

}  // namespace atl::backends
