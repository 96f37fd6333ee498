// The docker backend: finds its engine, and its containers by their label.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <any>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "async/deadline.hpp"
#include "async/unix_socket.hpp"
#include "backends/docker/config.hpp"
#include "backends/docker/docker_sandbox.hpp"
#include "backends/docker/import.hpp"
#include "base/program_folder.hpp"
#include "codec/json.hpp"
#include "http/uri.hpp"
#include "sandbox/instance.hpp"
#include "sandbox/registry.hpp"

namespace atl::backends {

namespace {

using async::Task;
using docker::Json;
using docker::Shared;
using http::Method;
using sandbox::BackendOptions;
using sandbox::Cap;
namespace fs = std::filesystem;

constexpr std::chrono::seconds kPingPatience{5};

class DockerBackend final : public sandbox::Backend {
 public:
  // `own_folder` goes with this object.
  DockerBackend(async::Executor executor, std::shared_ptr<Shared> shared, std::string own_folder)
      : executor_(std::move(executor)),
        shared_(std::move(shared)),
        own_folder_(std::move(own_folder)) {}
  ~DockerBackend() override {
    if (!own_folder_.empty()) docker::Places(own_folder_).remove_root();
  }

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> create(sandbox::SandboxSpec spec) override {
    if (spec.id.empty()) spec.id = SandboxId::make();
    if (!spec.layers.empty()) {
      co_return fail(Code::kUnsupported,
                     "images of `atoll image` are native's; bring one to the Docker engine with "
                     "`atoll image import --backend docker`");
    }
    co_return std::make_unique<docker::DockerSandbox>(executor_, shared_, std::move(spec));
  }

  Task<Result<std::unique_ptr<sandbox::Sandbox>>> reattach(SandboxId id) override {
    ATOLL_CO_TRY(guest::Token token, shared_->places.token(id));
    Result<Json> container = co_await docker::inspect(shared_, id);
    if (!container && container.error().code() == Code::kNotFound)
      co_return fail(container.error());
    // Without an engine the guest itself is asked: it may have outlived it.
    bool runs = container ? docker::truth_at(*container, "/State/Running")
                          : async::connect_unix_now(shared_->places.socket(id)).has_value();
    if (!runs) co_return fail(Code::kNotFound, "the sandbox has ended");
    // A server that was killed while it waited for the guest never got so far.
    ATOLL_CO_CHECK(shared_->places.close_folder(id));
    if (container && !shared_->facts) {
      ATOLL_CO_TRY(shared_->facts, co_await shared_->engine.facts());
    }
    auto found = std::make_unique<docker::DockerSandbox>(executor_, shared_, std::move(id), token,
                                                         container ? *container : Json());
    // One that is paused takes connections as well, and would never answer.
    if (!container) {
      ATOLL_CO_CHECK(co_await async::with_deadline(found->ping(), async::deadline_in(kPingPatience),
                                                   Code::kBackend, "the guest does not answer"));
    }
    co_return std::move(found);
  }

  // Also those of which only a container or only a token is left.
  Task<Result<std::vector<SandboxId>>> list() override {
    std::string filters = codec::serialize(
        {{"label", {std::string(docker::kInstanceLabel) + "=" + shared_->instance}}});
    std::string target = "/containers/json?all=1&filters=" + http::percent_encode(filters);
    std::size_t looks = shared_->looks_over;
    Result<Json> found = co_await shared_->engine.call(Method::kGet, std::move(target));
    bool is_looking = shared_->looks_begun != looks;  // now, or while the engine was asked
    std::vector<SandboxId> ids = shared_->places.all();
    if (!found || !found->is_array()) co_return ids;
    for (const Json& one : found->get_array()) {
      SandboxId id(docker::text_at(one, std::string("/Labels/") + docker::kSandboxLabel));
      if (id.empty()) {  // a look into an image that nobody finished
        std::string path = "/containers/" + docker::text_at(one, "/Id") + "?force=1&v=1";
        if (!is_looking && docker::text_at(one, "/State") == "created") {
          (void)co_await shared_->engine.call(Method::kDelete, std::move(path));
        }
      } else if (std::ranges::find(ids, id) == ids.end()) {
        ids.push_back(std::move(id));
      }
    }
    co_return ids;
  }

  Task<Result<void>> destroy(SandboxId id) override {
    co_return co_await docker::remove_container(shared_, std::move(id));
  }

 private:
  async::Executor executor_;
  std::shared_ptr<Shared> shared_;
  std::string own_folder_;
};

// No other server's on this engine, as long as nobody moves a data folder.
std::string first_instance(const std::string& folder) {
  std::ifstream file("/etc/machine-id");
  std::string machine;
  file >> machine;
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (char c : machine + folder) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char text[17];
  std::snprintf(text, sizeof text, "%016lx", hash);
  return text;
}

// Folders of processes that were killed. Of other users' ones the attempt fails.
void sweep(const fs::path& folder, const std::string& prefix) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    int pid = 0;
    if (!name.starts_with(prefix) || std::sscanf(name.c_str() + prefix.size(), "%d-", &pid) != 1 ||
        pid <= 0) {
      continue;
    }
    if (::kill(pid, 0) != 0 && errno == ESRCH) docker::Places(entry.path().string()).remove_root();
  }
}

// A sandbox that ends with this process needs no place that anybody else would find.
Result<std::string> make_folder(const std::string& wanted) {
  std::error_code error;
  if (!wanted.empty()) {
    fs::create_directories(wanted, error);
    if (error) return fail_errno("making a folder for sockets", error.value());
    if (::chmod(wanted.c_str(), 0700) != 0) return fail_errno("making a folder for sockets");
    return wanted;
  }
  const std::string prefix = "atoll-docker-";
  fs::path folder = fs::temp_directory_path(error);
  sweep(folder, prefix);
  std::string pattern = folder / (prefix + std::to_string(::getpid()) + "-XXXXXX");
  if (::mkdtemp(pattern.data()) == nullptr) return fail_errno("making a folder for sockets");
  return pattern;
}

docker::EngineOptions engine_options(const docker::Config& config) {
  return docker::with_environment({.host = config.host, .cert_folder = config.cert_path});
}

Result<std::unique_ptr<sandbox::Backend>> make_docker(BackendOptions options) {
  if (options.program_folder.empty()) {
    ATOLL_TRY(options.program_folder, program_folder());
  }
  fs::path guest = fs::path(options.program_folder) / "atoll-guest";
  // The engine opens it, with its own rights.
  if (::access(guest.c_str(), X_OK) != 0 && errno != EACCES) {
    return fail_errno("finding atoll-guest");
  }
  docker::Config config = sandbox::config_of<docker::Config>(options);
  if (config.network_mode == "host" || config.network_mode.starts_with("container:")) {
    return fail(
        Code::kInvalidArgument,
        "sandbox.backends.docker.networkMode: sandboxes need a network of their own, not \"" +
            config.network_mode + "\"");
  }
  bool is_own = options.data_folder.empty();
  ATOLL_TRY(std::string folder, make_folder(is_own ? "" : options.data_folder + "/docker"));
  auto shared = std::make_shared<Shared>(options.executor, engine_options(config), folder);
  ATOLL_TRY(shared->instance,
            sandbox::instance_of(is_own ? std::string() : folder, first_instance(folder)));
  shared->guest_program = guest.string();
  shared->net_program = (fs::path(options.program_folder) / "atoll-net").string();
  shared->config = std::move(config);
  shared->once = options.once;
  return std::make_unique<DockerBackend>(options.executor, std::move(shared), is_own ? folder : "");
}

// Empty: the engine is behind TCP.
std::string socket_of(const docker::EngineOptions& engine) {
  constexpr std::string_view kUnix = "unix://";
  return engine.host.starts_with(kUnix) ? engine.host.substr(kUnix.size()) : "";
}

// What an engine that starts later will give its socket to. No NSS, which may ask the network.
std::optional<unsigned> docker_group() {
  std::ifstream file("/etc/group");
  std::string line;  // "docker:x:105:"
  while (std::getline(file, line)) {
    unsigned gid = 0;
    if (std::sscanf(line.c_str(), "docker:%*[^:]:%u", &gid) == 1) return gid;
  }
  return std::nullopt;
}

// Whoever may write to the socket is in this group, or root. Who has taken over a server can store
// templates, and must not become root by the next start: the operator must have named the engine.
Result<sandbox::Prepared> keep_group_of_socket(const BackendOptions& options, unsigned /*uid*/,
                                               unsigned /*gid*/) {
  struct stat info{};
  std::string path = socket_of(engine_options(sandbox::config_of<docker::Config>(options)));
  sandbox::Prepared prepared;
  if (path.empty()) return prepared;
  if (!options.named && std::getenv("DOCKER_HOST") == nullptr) {
    return fail(Code::kForbidden,
                "a stored template alone does not give the server the group of Docker's socket: "
                "set a field of sandbox.backends.docker in the configuration");
  }
  prepared.group = ::stat(path.c_str(), &info) == 0 ? info.st_gid : docker_group();
  return prepared;
}

Result<void> docker_available() {
  docker::EngineOptions engine = docker::with_environment({});
  std::string path = socket_of(engine);
  if (path.empty()) return {};
  Result<UniqueFd> socket = async::connect_unix_now(path);
  if (socket) return {};
  const char* what_helps = socket.error().errno_value() == EACCES
                               ? "; join the group of its socket, usually docker"
                               : "; install and start docker.io, or set DOCKER_HOST";
  return fail(Code::kHostUnsupported, "no Docker engine answers at " + engine.host + what_helps);
}

// The engine's own bridge is the default's name, and stands for none of them.
bool joins_network(const std::any& config) {
  const auto* own = std::any_cast<docker::Config>(&config);
  return own != nullptr && own->network_mode != docker::Config().network_mode;
}

}  // namespace

void register_docker(sandbox::Registry& registry);

void register_docker(sandbox::Registry& registry) {
  registry.add(
      {.name = "docker",
       .status = sandbox::Maturity::kBeta,
       .isolation = sandbox::IsolationKind::kContainer,
       .caps = {Cap::kExec, Cap::kGuest, Cap::kStdin, Cap::kSignals, Cap::kTerminal, Cap::kFiles,
                Cap::kWatch, Cap::kConnect, Cap::kSnapshot, Cap::kUsage, Cap::kPause,
                Cap::kReattach, Cap::kLimits, Cap::kFilesystemPolicy, Cap::kMounts,
                Cap::kWritableRoot, Cap::kNetwork, Cap::kDomainLists, Cap::kNetworkPolicy},
       .lacks = {{Cap::kZygotes, "an image's interpreter cannot be loaded outside of it"}},
       .probe = &docker_available,
       .make = &make_docker,
       .prepare_as_root = &keep_group_of_socket,
       .own_images = true,
       .joins_network = &joins_network,
       .import_images = &docker::import_images});
}

}  // namespace atl::backends
