// The srt backend: sandboxes of @anthropic-ai/sandbox-runtime with a guest inside.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/srt/cgroup.hpp"
#include "backends/srt/config.hpp"
#include "backends/srt/leftovers.hpp"
#include "backends/srt/srt_sandbox.hpp"
#include "base/program_folder.hpp"
#include "sandbox/registry.hpp"

namespace atl::backends {

void register_srt(sandbox::Registry& registry);

namespace {

using async::Task;
using sandbox::BackendOptions;
using sandbox::Cap;
using srt::Host;
namespace fs = std::filesystem;

// Below the folder of all sandboxes: "/ID/r/claude-socks-….sock".
constexpr std::size_t kSocketPath =
    sizeof "/01234567890123456789012345/r/claude-socks-0123456789abcdef.sock";
constexpr std::size_t kMaxSocketPath = 108;

class SrtBackend final : public sandbox::Backend {
 public:
  // `once_lock`: the sandboxes' folder is this process's own, and goes with it.
  SrtBackend(async::Executor executor, std::shared_ptr<Host> host, UniqueFd once_lock)
      : executor_(std::move(executor)), host_(std::move(host)), once_lock_(std::move(once_lock)) {}
  ~SrtBackend() override {
    if (once_lock_) (void)srt::remove_tree(host_->folder);
  }

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> create(sandbox::SandboxSpec spec) override {
    if (spec.image != "host") co_return fail(Code::kUnsupported, "srt has no images");
    if (!spec.mounts.empty()) co_return fail(Code::kUnsupported, "srt has no mounts");
    if (spec.writable_root) {
      co_return fail(Code::kPolicyUnsupported,
                     "srt cannot make the root writable: it is the host's own; native and docker "
                     "can");
    }
    co_return std::make_unique<srt::SrtSandbox>(executor_, host_, std::move(spec));
  }

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> reattach(SandboxId) override {
    co_return fail(Code::kUnsupported, "a sandbox of srt ends with the server that made it");
  }

  Task<Result<std::vector<SandboxId>>> list() override {
    std::vector<SandboxId> ids;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(host_->folder, failed)) {
      ids.emplace_back(entry.path().filename().string());
    }
    co_return ids;
  }

  Task<Result<void>> destroy(SandboxId id) override {
    auto job = [folder = host_->folder_of(id)] { return srt::end_sandbox(folder, srt::kGrace); };
    co_return co_await async::on_pool(host_->pool, std::move(job));
  }

 private:
  async::Executor executor_;
  std::shared_ptr<Host> host_;
  UniqueFd once_lock_;
};

Result<UniqueFd> own_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno("making a folder");
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!folder || ::fstat(folder.get(), &info) != 0) return fail_errno("opening a folder");
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    return fail(Code::kForbidden, "the folder for sandboxes of srt in /tmp is somebody else's");
  }
  return folder;
}

// For a process that has no data folder. What others left, whose lock is free, is removed.
Result<UniqueFd> once_folder(std::string* path) {
  std::string base = "/tmp/atoll-srt-" + std::to_string(::geteuid());
  ATOLL_TRY(UniqueFd holder, own_folder(base));
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(base, failed)) {
    UniqueFd old(::open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!old || ::flock(old.get(), LOCK_EX | LOCK_NB) != 0) continue;
    for (const auto& one : fs::directory_iterator(entry, failed)) {
      (void)srt::end_sandbox({one.path().string(), one.path().string() + "/r"}, srt::kGrace);
    }
    (void)srt::remove_tree(entry.path().string());
  }
  *path = base + "/" + std::to_string(::getpid());
  ATOLL_TRY(UniqueFd lock, own_folder(*path));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return fail_errno("locking a folder");
  return lock;
}

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? home : "";
}

Result<std::string> base_settings(std::string path) {
  if (path.starts_with("~/")) path.replace(0, 1, home_folder());
  std::error_code failed;
  if (path.empty() || !fs::exists(path, failed)) return std::string();
  std::stringstream text;
  std::ifstream file(path);
  if (!file || !(text << file.rdbuf())) {
    return fail(Code::kInvalidArgument, "the settings file of srt cannot be read");
  }
  ATOLL_CHECK(srt::check_base(text.str()));
  return text.str();
}

Result<std::string> guest_program(std::string folder) {
  if (folder.empty()) {
    ATOLL_TRY(folder, program_folder());
  }
  std::string guest = folder + "/atoll-guest";
  if (::access(guest.c_str(), X_OK) == 0) return guest;
  return fail(Code::kHostUnsupported, "atoll-guest is missing; it must lie beside this program");
}

// The server's data, and the home of whoever runs it: a sandbox of srt sees the whole host.
std::vector<std::string> hidden_folders(const std::string& data) {
  std::vector<std::string> hidden;
  if (!data.empty()) hidden.push_back(data);
  // Of servers and runs of the same user, who are not told apart by their uid.
  std::string uid = std::to_string(::geteuid());
  for (const std::string& path :
       {"/tmp/atoll-srt-" + uid, "/tmp/atoll-srt-run-" + uid, std::string("/var/lib/atoll")}) {
    if (::access(path.c_str(), F_OK) == 0) hidden.push_back(path);
  }
  std::string home = home_folder();
  struct stat info{};
  bool own = home.size() > 1 && ::stat(home.c_str(), &info) == 0 && info.st_uid == ::geteuid();
  char real[PATH_MAX];
  if (own && ::realpath(home.c_str(), real) != nullptr) hidden.emplace_back(real);
  return hidden;
}

Result<std::unique_ptr<sandbox::Backend>> make_srt(BackendOptions options) {
  if (::geteuid() == 0) {
    return fail(Code::kHostUnsupported, "srt must not run as root: it would show root's files");
  }
  if (options.keeps_group) {
    return fail(
        Code::kHostUnsupported,
        "this server keeps the group of the Docker engine's socket, which srt's sandboxes would "
        "have as well; give them a server of their own");
  }
  ATOLL_CHECK(srt::check_programs());
  auto host = std::make_shared<Host>();
  ATOLL_TRY(host->package, srt::find_package());
  ATOLL_TRY(host->guest, guest_program(options.program_folder));
  ATOLL_TRY(host->base_settings,
            base_settings(sandbox::config_of<srt::Config>(options).settings_path));
  host->data_folder = options.data_folder;
  host->hidden = hidden_folders(host->data_folder);
  UniqueFd lock;
  const std::string& state = options.state_folder;
  if (state.empty()) {
    ATOLL_TRY(lock, once_folder(&host->folder));
    host->hidden.push_back(fs::path(host->folder).parent_path().string());
  } else {
    host->folder = state + "/srt";
    std::error_code failed;
    fs::create_directories(host->folder, failed);
    if (failed) return fail_errno("making the folder of the sandboxes", failed.value());
    fs::permissions(host->folder, fs::perms::owner_all, failed);
    host->hidden.push_back(host->folder);
    if (host->folder.size() + kSocketPath > kMaxSocketPath) {
      host->short_folder = "/tmp/atoll-srt-run-" + std::to_string(::geteuid());
      ATOLL_TRY([[maybe_unused]] UniqueFd own, own_folder(host->short_folder));
      host->hidden.push_back(host->short_folder);
    }
  }
  return std::make_unique<SrtBackend>(std::move(options.executor), std::move(host),
                                      std::move(lock));
}

Result<void> srt_available() {
  ATOLL_CHECK(srt::check_programs());
  ATOLL_TRY([[maybe_unused]] srt::Package package, srt::find_package());
  return {};
}

// Its sandboxes go without limits where the hierarchy cannot be handed over.
Result<sandbox::Prepared> prepare_srt(const BackendOptions& /*options*/, unsigned uid,
                                      unsigned gid) {
  srt::hand_over_cgroups(uid, gid);
  return sandbox::Prepared();
}

}  // namespace

void register_srt(sandbox::Registry& registry) {
  registry.add({.name = "srt",
                .status = sandbox::Maturity::kBeta,
                .isolation = sandbox::IsolationKind::kNamespaces,
                .caps = {Cap::kExec, Cap::kGuest, Cap::kStdin, Cap::kSignals, Cap::kTerminal,
                         Cap::kFiles, Cap::kWatch, Cap::kConnect, Cap::kSnapshot, Cap::kUsage,
                         Cap::kLimits, Cap::kFilesystemPolicy, Cap::kDomainLists},
                .lacks = {{Cap::kPause, "its control group holds the guest, which must answer"},
                          {Cap::kReattach, "its sandboxes end with the server that made them"},
                          {Cap::kMounts, "it shows the host's own paths and nothing else"},
                          {Cap::kWritableRoot, "its root is the host's own"},
                          {Cap::kNetwork, "it reaches the domains of a list only"},
                          {Cap::kNetworkPolicy, "its lists know names and ports, and no order"},
                          {Cap::kZygotes, "its sandboxes enter no namespaces of ours"}},
                .probe = &srt_available,
                .make = &make_srt,
                .whole_host = true,
                .install = &srt::install_package,
                .prepare_as_root = &prepare_srt,
                .shares_groups = true,
                .lists = {.ports = true}});
}

}  // namespace atl::backends
