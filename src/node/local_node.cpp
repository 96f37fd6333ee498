// This machine as a node: backends are opened when a template first asks for them.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "async/event.hpp"
#include "async/pool.hpp"
#include "async/task_group.hpp"
#include "base/rollback.hpp"
#include "node/bootstrap.hpp"
#include "node/host_figures.hpp"
#include "node/image_defaults.hpp"
#include "node/node.hpp"
#include "node/packages.hpp"
#include "observe/log.hpp"
#include "sandbox/defaults.hpp"

namespace atl::node {
namespace {

using async::Task;
using sandbox::Backend;

constexpr std::chrono::seconds kImportTime{60};  // that a sandbox waits for an image import

// A backend that refuses this server does not refuse its client.
Error of_this_server(const Error& error) {
  bool refused = error.code() == Code::kUnauthenticated || error.code() == Code::kForbidden;
  return refused ? Error(Code::kBackend, error.message(), error.errno_value()) : error;
}

class LocalNode final : public Node, private PoolMaker {
 public:
  LocalNode(const sandbox::Registry& registry, LocalNodeOptions options)
      : registry_(registry),
        options_(std::move(options)),
        policy_(std::move(options_.policy), options_.home),
        bootstrap_(options_.bootstrap, options_.bootstrap_folder, options_.home),
        rooms_([this](std::string backend) { return make_room(std::move(backend)); },
               options_.networks),
        packages_(options_.executor,
                  {options_.packages_folder, options_.package_index, options_.package_quota,
                   options_.floor},
                  rooms_),
        pool_(options_.executor, *this, std::move(options_.pool)) {}

  const std::string& id() const override { return options_.id; }
  std::string backend_of(const model::Template& origin) const override {
    return origin.spec.backend.value_or(options_.default_backend);
  }

  // Reads folders of the host, so it is done here and once.
  Task<Result<void>> open_default() override {
    ATOLL_CO_TRY(const sandbox::BackendEntry* entry, registry_.get(options_.default_backend));
    if (entry->own_images) {  // only whether the patterns are any
      ATOLL_CO_CHECK(policy_.check_patterns());
    } else {
      ATOLL_CO_CHECK(policy_.filesystem_for(*entry));
    }
    ATOLL_CO_TRY(Backend * backend, open(options_.default_backend));
    (void)backend;
    co_return Result<void>();
  }

  Result<void> check(const model::Template& origin,
                     const model::SessionConfig& config) const override {
    ATOLL_TRY(const sandbox::BackendEntry* entry, registry_.get(backend_of(origin)));
    ATOLL_CHECK(policy_.check(*entry, origin, config));
    bool has_network = config.network ? model::allows_anything(*config.network)
                                      : config.allow_network || policy_.has_lists(origin);
    if (!has_network || !joins_network(*entry)) return {};
    if (config.network ? is_open(*config.network) : !policy_.has_lists(origin)) return {};
    return fail(Code::kPolicyUnsupported,
                "the configuration of " + entry->name +
                    " names a network, in which no rules hold: sandboxes have all of it (default "
                    "allow without rules) or none");
  }

  void keep_ready(std::vector<TemplatePtr> templates) override { pool_.keep_ready(templates); }
  std::map<std::string, PoolFigures> pool_figures() const override { return pool_.figures(); }

  Task<SandboxPtr> claim(TemplatePtr origin, model::SessionConfig config) override {
    SandboxPtr sandbox = pool_.claim(origin, config);
    if (!sandbox || model::keeps_limits(*origin, config)) co_return sandbox;
    Rollback undo;  // also when the caller is cancelled
    undo.add([this, sandbox] { pool_.stop_later(sandbox); });
    Result<void> changed = co_await sandbox->change_limits(limits_of(*origin, config));
    if (changed) {
      undo.release();
      co_return sandbox;
    }
    log::warn("limits_not_changed", log::kv("error", changed.error().to_string()));
    co_return nullptr;
  }

  Task<Result<SandboxPtr>> make(SandboxId id, TemplatePtr origin,
                                model::SessionConfig config) override {
    return pool_.next(std::move(id), std::move(origin), std::move(config));
  }

  bool can_find_again(const std::string& backend) const override {
    Result<const sandbox::BackendEntry*> entry = registry_.get(backend);
    return entry && (*entry)->has(sandbox::Cap::kReattach);
  }

  bool opens_networks(const std::string& backend) const override {
    Result<const sandbox::BackendEntry*> entry = registry_.get(backend);
    return entry && (*entry)->has(sandbox::Cap::kNetworkPolicy) && !joins_network(**entry);
  }

  Task<Result<SandboxPtr>> find_again(std::string backend, SandboxId id, TemplatePtr origin,
                                      model::SessionConfig config) override {
    ATOLL_CO_TRY(Backend * opened, open(backend));
    ATOLL_CO_TRY(std::unique_ptr<sandbox::Sandbox> found, co_await opened->reattach(std::move(id)));
    SandboxPtr sandbox(std::move(found));
    auto* keeps = dynamic_cast<sandbox::KeepsDefaults*>(sandbox.get());
    if (keeps == nullptr) co_return sandbox;
    keeps->set_known_limits(limits_of(*origin, config));
    if (origin->spec.image == "host") co_return sandbox;
    // From the image that has the name now. If there is none the sandbox goes without.
    Result<UsedImage> image = co_await image_of(*origin);
    if (image) {
      set_defaults(*sandbox, std::move(image->defaults));
    } else {
      log::warn("image_not_found", log::kv("template_id", origin->id),
                log::kv("error", image.error().to_string()));
    }
    co_return sandbox;
  }

  Task<Result<std::vector<SandboxId>>> list_left(std::string backend) override {
    ATOLL_CO_TRY(Backend * opened, open(backend));
    ATOLL_CO_TRY(std::vector<SandboxId> there, co_await opened->list());
    std::erase_if(there, [this](const SandboxId& id) { return made_.contains(id.str()); });
    co_return there;
  }

  Task<Result<void>> destroy(std::string backend, SandboxId id) override {
    ATOLL_CO_TRY(Backend * opened, open(backend));
    co_return co_await opened->destroy(std::move(id));
  }

  std::vector<std::string> backends() const override {
    std::vector<std::string> names;
    for (const auto& [name, backend] : opened_) names.push_back(name);
    return names;
  }

  void forget_made() override {
    keeps_made_ = false;
    made_.clear();
  }

  // Those that were prepared are opened: one that nobody has used yet may be lost as well.
  Task<void> until_lost() override {
    if (!open(options_.default_backend)) co_return;  // a request for a sandbox says why
    std::vector<std::string> prepared;
    for (const auto& [name, own] : options_.backends) {
      if (own.prepared.control) prepared.push_back(name);
    }
    for (const std::string& name : prepared) (void)open(name);
    auto lost = std::make_shared<async::Event>();
    async::TaskGroup watchers(options_.executor);
    for (const auto& [name, backend] : opened_) watchers.spawn(watch(backend.get(), lost));
    while (!is_lost()) co_await lost->wait();
    co_await watchers.join();
  }
  bool is_lost() const override {
    return std::ranges::any_of(opened_, [](const auto& one) { return one.second->is_lost(); });
  }

  NodeResources resources() const override {
    NodeResources all;
    all.cpu_total = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
    all.cpu_used = cpus_in_use(all.cpu_total);
    HostMemory memory = host_memory();
    all.memory_total = memory.total;
    all.memory_used = memory.total - memory.available;
    return all;
  }

  void stop_waiting() override { *no_waiting_ = true; }
  Task<void> shut_down() override {
    co_await pool_.shut_down();
    co_await packages_.shut_down();
  }

 private:
  bool joins_network(const sandbox::BackendEntry& entry) const {
    auto own = options_.backends.find(entry.name);
    return entry.joins_network &&
           entry.joins_network(own == options_.backends.end() ? std::any() : own->second.config);
  }

  // Everything, and nothing else is said.
  static bool is_open(const model::NetworkPolicy& policy) {
    return policy.default_ == model::NetworkAction::kAllow && policy.rules.empty() &&
           policy.headers.empty() && policy.secrets.empty();
  }

  bool can_change_limits(const model::Template& origin) const override {
    Result<const sandbox::BackendEntry*> entry = registry_.get(backend_of(origin));
    return entry && (*entry)->has(sandbox::Cap::kLimits);
  }

  bool can_open_network(const model::Template& origin,
                        const model::SessionConfig& config) const override {
    bool trusts = !config.network || !egress::needs_trust(*config.network) || shows_trust(origin);
    return trusts && opens_networks(backend_of(origin));
  }

  // Of every sandbox of the template.
  static bool shows_trust(const model::Template& origin) {
    const std::optional<model::NetworkPolicy>& policy = origin.spec.security.network;
    return policy && egress::needs_trust(*policy);
  }

  // Over the root's own trust stores, which Atoll does not change.
  Result<void> add_trust(const model::Template& origin, const model::SessionConfig& config,
                         sandbox::SandboxSpec& spec) const {
    bool wanted = shows_trust(origin) || (config.network && egress::needs_trust(*config.network));
    if (!wanted || !options_.trust || !opens_networks(backend_of(origin))) return {};
    auto add = [&spec](const std::string& path, std::string_view target) -> Result<void> {
      UniqueFd source(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
      if (!source) return fail_errno("opening a trust store");
      spec.mounts.push_back({.source = std::move(source), .target = std::string(target)});
      return {};
    };
    ATOLL_CHECK(add(options_.trust->bundle, egress::kBundleInside));
    std::string java(egress::kJavaStoreInside);
    if (spec.layers.empty() && ::access(java.c_str(), F_OK) == 0) {
      ATOLL_CHECK(add(options_.trust->java_store, java));
    }
    return {};
  }

  Packages::Wanted packages_of(const model::Template& origin) const {
    return {installer_of(origin.spec.language), origin.spec.preinstalled_packages, origin.tenant,
            backend_of(origin)};
  }

  // For one installation of packages. It sees the host's root, as the sandboxes that get them.
  // Without root there is no disk of its own: then it has what fits into its memory.
  Task<Result<SandboxPtr>> make_room(std::string backend) {
    Result<SandboxPtr> room = co_await try_room(backend, kBuildLimits.disk_bytes);
    if (room || room.error().code() != Code::kLimitUnenforceable) co_return room;
    co_return co_await try_room(std::move(backend), kBuildLimits.memory_bytes / 2);
  }

  Task<Result<SandboxPtr>> try_room(std::string backend, std::uint64_t disk_bytes) {
    ATOLL_CO_TRY(const sandbox::BackendEntry* entry, registry_.get(backend));
    if (!entry->has(sandbox::Cap::kNetworkPolicy)) {
      co_return fail(Code::kPolicyUnsupported,
                     "packages cannot be installed in a sandbox of the backend " + backend);
    }
    ATOLL_CO_TRY(Backend * opened, open(backend));
    sandbox::SandboxSpec spec{.id = SandboxId::make(), .limits = kBuildLimits};
    if (keeps_made_) made_.insert(spec.id.str());
    spec.limits.disk_bytes = disk_bytes;
    ATOLL_CO_TRY(spec.filesystem, policy_.filesystem_for(*entry));
    ATOLL_CO_TRY(std::unique_ptr<sandbox::Sandbox> made, co_await opened->create(std::move(spec)));
    Result<void> started = co_await made->start();
    if (!started) co_return fail(of_this_server(started.error()));
    co_return SandboxPtr(std::move(made));
  }

  Task<Result<SandboxPtr>> make_new(SandboxId id, TemplatePtr origin,
                                    model::SessionConfig config) override {
    std::string backend = backend_of(*origin);
    Result<SandboxPtr> made = co_await build(std::move(id), std::move(origin), std::move(config));
    if (!made) co_return fail(with_advice(backend, made.error()));
    co_return made;
  }

  Task<Result<SandboxPtr>> build(SandboxId id, TemplatePtr origin, model::SessionConfig config) {
    if (keeps_made_) made_.insert(id.str());
    ATOLL_CO_TRY(Backend * backend, open(backend_of(*origin)));
    sandbox::SandboxSpec spec{.id = std::move(id)};
    spec.limits = limits_of(*origin, config);
    spec.asked = {.memory = config.resources.memory.has_value(),
                  .cpus = config.resources.cpu.has_value(),
                  .pids = config.resources.pids.has_value(),
                  .disk = config.resources.disk.has_value()};
    spec.preload = preload_of(*origin);
    if (spec.preload) spec.preload->leave_one = may_leave_zygote(origin->id);
    spec.writable_root = !origin->spec.security.read_only_filesystem;
    ATOLL_CO_TRY(const sandbox::BackendEntry* entry, registry_.get(backend_of(*origin)));
    bool is_opened_later = entry->has(sandbox::Cap::kNetworkPolicy) && !joins_network(*entry);
    spec.allow_network =
        !is_opened_later && (config.allow_network || (config.network && is_open(*config.network)));
    if (entry->own_images) {
      spec.patterns = policy_.patterns();
    } else {
      ATOLL_CO_TRY(spec.filesystem, policy_.filesystem_for(*entry));
    }
    if (entry->has(sandbox::Cap::kDomainLists)) {
      ATOLL_CO_TRY(spec.network, policy_.lists_for(*entry, *origin, config));
    }
    images::ProgramDefaults defaults;
    if (entry->own_images) {
      spec.image = origin->spec.image;
      spec.language = origin->spec.language;
    } else if (origin->spec.image != "host") {
      Result<UsedImage> image = co_await image_of(*origin);
      if (!image) co_return fail(std::move(image).error());
      spec.image = image->lease.image.name;
      spec.layers = std::move(image->lease.layers);
      defaults = std::move(image->defaults);
    }
    if (!origin->spec.preinstalled_packages.empty()) {
      Packages::Wanted wanted = packages_of(*origin);
      std::string target = wanted.installer->place;
      ATOLL_CO_TRY(std::string folder, co_await packages_.folder_of(std::move(wanted)));
      UniqueFd source(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!source) co_return fail_errno("opening the packages");
      spec.mounts.push_back({.source = std::move(source), .target = std::move(target)});
    }
    ATOLL_CO_CHECK(add_trust(*origin, config, spec));
    ATOLL_CO_TRY(std::unique_ptr<sandbox::Sandbox> made, co_await backend->create(std::move(spec)));
    Result<void> started = co_await made->start();
    if (!started) co_return fail(of_this_server(started.error()));
    set_defaults(*made, std::move(defaults));
    SandboxPtr sandbox(std::move(made));
    Result<void> filled = co_await bootstrap_.fill(sandbox);
    if (filled) co_return sandbox;
    (void)co_await sandbox->stop();
    co_return fail(filled.error());
  }

  Task<Result<void>> prepare(TemplatePtr origin) override {
    if (!origin->spec.preinstalled_packages.empty()) {
      ATOLL_CO_CHECK(co_await packages_.folder_of(packages_of(*origin)));
    }
    std::optional<sandbox::Preload> preload = preload_of(*origin);
    if (!preload) co_return Result<void>();
    ATOLL_CO_TRY(Backend * backend, open(backend_of(*origin)));
    Result<sandbox::ZygoteReport> ready = co_await backend->prepare(std::move(*preload));
    if (!ready && ready.error().code() != Code::kUnsupported) co_return fail(ready.error());
    if (!ready) co_return Result<void>();
    for (const auto& [module, why] : ready->missing) {
      log::warn("preload_missing", log::kv("template_id", origin->id), log::kv("module", module),
                log::kv("reason", why));
    }
    co_return Result<void>();
  }

  Task<Result<UsedImage>> image_of(const model::Template& origin) {
    return async::on_pool(image_pool_, [name = origin.spec.image, give_up = no_waiting_] {
      return use_image(name, {.until = std::chrono::steady_clock::now() + kImportTime,
                              .give_up = give_up.get()});
    });
  }

  // A template may name a backend that nothing named when the server started and was root.
  Error with_advice(const std::string& backend, const Error& error) const {
    auto own = options_.backends.find(backend);
    if (own == options_.backends.end() || !own->second.unprepared) return error;
    return Error(error.code(),
                 error.message() + "; this server did not prepare " + backend +
                     " when it started as root: set a field of sandbox.backends." + backend +
                     " in its configuration and restart it",
                 error.errno_value());
  }

  static Task<void> watch(Backend* backend, std::shared_ptr<async::Event> lost) {
    co_await backend->until_lost();
    lost->notify_all();
  }

  // Since somebody asked last; a shorter time than this says nothing.
  double cpus_in_use(double cpus) const {
    constexpr std::chrono::seconds kLongEnough{1};
    auto now = std::chrono::steady_clock::now();
    if (now - times_at_ < kLongEnough) return cpus_in_use_;
    HostTimes times = host_times();
    cpus_in_use_ = cpus_used(times_, times, cpus);
    times_ = times;
    times_at_ = now;
    return cpus_in_use_;
  }

  // A sandbox that finds no zygote leaves one for the next, which replaces those that died. Not
  // more often than this: one whose modules cannot be loaded dies each time.
  bool may_leave_zygote(const std::string& origin) {
    constexpr std::chrono::seconds kOften{10};
    auto now = std::chrono::steady_clock::now();
    auto [last, is_first] = zygotes_left_.try_emplace(origin, now);
    if (!is_first && now - last->second < kOften) return false;
    last->second = now;
    return true;
  }

  Result<Backend*> open(const std::string& name) {
    auto found = opened_.find(name);
    if (found != opened_.end()) return found->second.get();
    ATOLL_TRY(const sandbox::BackendEntry* entry, registry_.get(name));
    sandbox::BackendOptions options;
    options.executor = options_.executor;
    options.run_folder = options_.backend.run_folder;
    options.program_folder = options_.backend.program_folder;
    options.data_folder = options_.backend.data_folder;
    options.state_folder = options_.backend.state_folder;
    options.keeps_group = options_.backend.keeps_group;
    if (auto own = options_.backends.find(name); own != options_.backends.end()) {
      options.config = own->second.config;
      options.prepared = std::move(own->second.prepared);
    }
    ATOLL_TRY(std::unique_ptr<Backend> made, entry->make(std::move(options)));
    Backend* backend = made.get();
    opened_[name] = std::move(made);
    return backend;
  }

  const sandbox::Registry& registry_;
  LocalNodeOptions options_;
  SandboxPolicy policy_;
  std::map<std::string, std::chrono::steady_clock::time_point> zygotes_left_;  // by template
  std::set<std::string> made_;                                                 // by this process
  bool keeps_made_ = true;
  Bootstrap bootstrap_;
  BuildRooms rooms_;
  Packages packages_;
  std::shared_ptr<std::atomic<bool>> no_waiting_ = std::make_shared<std::atomic<bool>>(false);
  async::Pool image_pool_{2};
  std::map<std::string, std::unique_ptr<Backend>> opened_;
  Pool pool_;  // its sandboxes are of the backends above
  mutable HostTimes times_ = host_times();
  mutable std::chrono::steady_clock::time_point times_at_ = std::chrono::steady_clock::now();
  mutable double cpus_in_use_ = 0;
};

}  // namespace

std::unique_ptr<Node> make_local_node(const sandbox::Registry& registry, LocalNodeOptions options) {
  return std::make_unique<LocalNode>(registry, std::move(options));
}

}  // namespace atl::node
