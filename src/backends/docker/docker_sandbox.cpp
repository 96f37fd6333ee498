#include "backends/docker/docker_sandbox.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

#include "async/deadline.hpp"
#include "async/unix_socket.hpp"
#include "backends/docker/figures.hpp"
#include "backends/docker/network_opener.hpp"
#include "base/fault.hpp"
#include "base/rollback.hpp"
#include "http/uri.hpp"
#include "model/image_name.hpp"

namespace atl::backends::docker {

using async::Task;
using http::Method;
using sandbox::State;
using namespace std::chrono_literals;

namespace {

constexpr auto kGuestPatience = 30s;
constexpr int kLooksBetweenQuestions = 50;

// A list of "NAME=VALUE".
std::map<std::string, std::string> variables_at(const Json& value, std::string_view pointer) {
  std::map<std::string, std::string> all;
  const Json* list = at(value, pointer);
  if (list == nullptr || !list->is_array()) return all;
  for (const Json& one : list->get_array()) {
    std::string text = one.is_string() ? std::string(one.get_string()) : "";
    std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) continue;
    all.try_emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return all;
}

// Without the prefix that newer engines put in front.
std::vector<std::string> added_caps(const Json& container) {
  constexpr std::string_view kPrefix = "CAP_";
  std::vector<std::string> all;
  const Json* list = at(container, "/HostConfig/CapAdd");
  if (list == nullptr || !list->is_array()) return all;
  for (const Json& one : list->get_array()) {
    std::string_view name = one.is_string() ? std::string_view(one.get_string()) : "";
    if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
    if (!name.empty()) all.emplace_back(name);
  }
  return all;
}

// As the engine understands it: an image may say "/data/" for "/data".
std::string without_detours(std::string_view path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

}  // namespace

DockerSandbox::DockerSandbox(async::Executor executor, std::shared_ptr<Shared> shared,
                             sandbox::SandboxSpec spec)
    : GuestSandbox(std::move(executor), spec.id),
      shared_(std::move(shared)),
      spec_(std::move(spec)) {}

DockerSandbox::DockerSandbox(async::Executor executor, std::shared_ptr<Shared> shared, SandboxId id,
                             guest::Token token, const Json& container)
    : GuestSandbox(std::move(executor), std::move(id)),
      shared_(std::move(shared)),
      token_(token),
      state_(truth_at(container, "/State/Paused") ? State::kPaused : State::kRunning) {
  if (!container.is_null()) learn(container);
  is_opened_ = shared_->places.was_opened(this->id());
}

void DockerSandbox::learn(const Json& container) {
  container_ = text_at(container, "/Id");
  image_id_ = text_at(container, "/Image");
  has_network_ = text_at(container, "/HostConfig/NetworkMode") != "none";
  writable_root_ = !truth_at(container, "/HostConfig/ReadonlyRootfs");
  caps_ = added_caps(container);
  pid_ = static_cast<std::int64_t>(number_at(container, "/State/Pid"));
  env_ = variables_at(container, "/Config/Env");
}

std::string DockerSandbox::path() const {
  return "/containers/" + (container_.empty() ? shared_->name_of(id()) : container_);
}

Task<Result<void>> DockerSandbox::start() {
  if (state_ != State::kCreated) co_return fail(Code::kConflict, "the sandbox was started before");
  Result<void> made = co_await make_container();
  if (made) co_return made;
  // Nothing stays behind a start that failed; the first error is the one to tell.
  state_ = State::kRunning;
  (void)co_await stop();
  co_return made;
}

Task<Result<std::string>> DockerSandbox::find_image() {
  std::string image =
      spec_.image == "host" ? default_image(shared_->config, spec_.language) : spec_.image;
  if (!model::is_image_name(image)) {
    co_return fail(Code::kInvalidArgument, std::string("image ") + model::kImageNameForm);
  }
  std::string target = "/images/" + http::percent_encode(image, true) + "/json";
  Result<Json> facts = co_await shared_->engine.call(Method::kGet, target);
  if (!facts && facts.error().code() == Code::kNotFound) {
    if (Result<void> pulled = co_await shared_->engine.pull(image); !pulled) {
      co_return fail(Code::kNotFound,
                     "the Docker engine has no image \"" + image + "\" and cannot pull it (" +
                         pulled.error().message() +
                         "); bring it there with `atoll image import --backend docker "
                         "ARCHIVE`, or name another one");
    }
    facts = co_await shared_->engine.call(Method::kGet, target);
  }
  if (!facts) co_return fail(facts.error());
  const Json* volumes = at(*facts, "/Config/Volumes");
  if (volumes != nullptr && volumes->is_object()) {
    for (const auto& one : volumes->get_object()) volumes_.push_back(without_detours(one.key()));
  }
  env_ = variables_at(*facts, "/Config/Env");
  image_id_ = text_at(*facts, "/Id");
  checks_health_ = at(*facts, "/Config/Healthcheck") != nullptr;
  co_return image;
}

Task<Result<ContainerPlan>> DockerSandbox::make_plan() {
  ContainerPlan plan{.instance = shared_->instance,
                     .guest_program = shared_->guest_program,
                     .place = shared_->places.folder(id()),
                     .network = spec_.allow_network ? shared_->config.network_mode : "none",
                     .cap_add = shared_->config.cap_add,
                     .once = shared_->once};
  has_network_ = spec_.allow_network;
  writable_root_ = spec_.writable_root;
  ATOLL_CO_TRY(plan.image, co_await find_image());
  plan.volumes = volumes_;
  plan.checks_health = checks_health_;
  // Not the server's own: nothing inside may be the owner of the server's folders.
  if (::geteuid() == plan.uid) ++plan.uid;
  caps_ = plan.cap_add;
  if (!caps_.empty()) plan.uid = 0;  // the engine gives capabilities to no other user
  if (spec_.writable_root && !spec_.patterns.deny_write.empty()) {
    co_return fail(Code::kPolicyUnsupported,
                   "docker cannot keep anybody from writing in a writable root; native can");
  }
  if (!spec_.patterns.empty()) {
    ATOLL_CO_TRY(plan.hidden_file, shared_->places.hidden_file());
    ATOLL_CO_TRY(plan.hidden_folder, shared_->places.hidden_folder());
    ATOLL_CO_TRY(plan.policy, co_await find_policy(plan.image));
  }
  co_return plan;
}

// Always the same for an image and a policy.
Task<Result<PolicyMounts>> DockerSandbox::find_policy(std::string image) {
  std::string key = image_id_;
  const sandbox::FilesystemPatterns& patterns = spec_.patterns;
  for (const auto* list : {&patterns.deny_read, &patterns.allow_write, &patterns.deny_write}) {
    for (const std::string& pattern : *list) key.append(1, '\0').append(pattern);
    key.append(2, '\0');
  }
  auto known = shared_->policies.find(key);
  if (spec_.mounts.empty() && known != shared_->policies.end()) co_return known->second;
  // The engine tells what an image holds only of a container; one that never starts will do.
  ++shared_->looks_begun;
  Rollback over;
  over.add([shared = shared_] { ++shared->looks_over; });
  boost::json::object body{{"Image", std::move(image)},
                           {"Labels", {{kInstanceLabel, shared_->instance}}},
                           {"Entrypoint", boost::json::array{"/"}}};
  ATOLL_CO_TRY(Json made, co_await shared_->engine.call(Method::kPost, "/containers/create", body));
  std::string probe = text_at(made, "/Id");
  Engine* engine = &shared_->engine;
  auto view = std::make_shared<ImageView>(
      [engine, probe](std::string path) { return engine->look_at(probe, std::move(path)); },
      [engine, probe](std::string folder) { return engine->all_below(probe, std::move(folder)); });
  Surroundings around{.volumes = volumes_};
  for (const sandbox::Mount& mount : spec_.mounts) {
    around.mounts.push_back({.path = mount.target, .read_only = mount.read_only});
  }
  Result<PolicyMounts> mounts =
      co_await policy_mounts(spec_.patterns, std::move(around), std::move(view));
  (void)co_await engine->call(Method::kDelete, "/containers/" + probe + "?force=1&v=1");
  if (mounts && spec_.mounts.empty()) shared_->policies[key] = *mounts;
  co_return mounts;
}

Task<Result<void>> DockerSandbox::make_container() {
  Engine& engine = shared_->engine;
  if (!shared_->facts) {
    ATOLL_CO_TRY(shared_->facts, co_await engine.facts());
  }
  ATOLL_CO_TRY(token_, shared_->places.make(id()));
  fault::here("sandbox.token");
  ATOLL_CO_TRY(ContainerPlan plan, co_await make_plan());
  ATOLL_CO_TRY(Json body, container_body(spec_, plan, *shared_->facts));
  std::string create = "/containers/create?name=" + shared_->name_of(id());
  ATOLL_CO_TRY(Json made, co_await engine.call(Method::kPost, std::move(create), std::move(body)));
  container_ = text_at(made, "/Id");
  ATOLL_CO_CHECK(co_await engine.call(Method::kPost, path() + "/start"));
  fault::here("sandbox.made");
  ATOLL_CO_TRY(connection_, co_await wait_for_guest());
  ATOLL_CO_CHECK(shared_->places.close_folder(id()));
  state_ = State::kRunning;
  spec_.mounts.clear();
  // A connection that says nothing for a while is closed by the guest.
  co_return co_await async::with_deadline(ping(), async::deadline_in(kGuestPatience),
                                          Code::kCreateTimeout,
                                          "the guest in the container does not answer");
}

Task<Result<UniqueFd>> DockerSandbox::wait_for_guest() {
  async::Deadline deadline = async::deadline_in(kGuestPatience);
  for (int look = 1;; ++look) {
    Result<UniqueFd> socket = async::connect_unix_now(shared_->places.socket(id()));
    if (socket) co_return socket;
    if (look % kLooksBetweenQuestions == 0) {
      Result<Json> container = co_await shared_->engine.call(Method::kGet, path() + "/json");
      bool removed = !container && container.error().code() == Code::kNotFound;
      if (!container && !removed) co_return fail(container.error());
      if (removed || !truth_at(*container, "/State/Running")) {
        int status = removed ? 0 : static_cast<int>(number_at(*container, "/State/ExitCode"));
        std::string tail = removed ? "" : " (status " + std::to_string(status) + ")";
        co_return fail(Code::kBackend, "the container ended as soon as it was started" + tail);
      }
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      co_return fail(Code::kCreateTimeout,
                     "the guest in the container does not answer: " + socket.error().message());
    }
    co_await async::sleep_for(look < kLooksBetweenQuestions ? 1ms : 10ms);
  }
}

Task<Result<void>> DockerSandbox::stop() {
  if (state_ == State::kCreated) co_return Result<void>();
  drop_guest();
  connection_.reset();
  ATOLL_CO_CHECK(co_await remove_container(shared_, id()));
  state_ = State::kStopped;
  co_return Result<void>();
}

bool DockerSandbox::is_running() const {
  return state_ == State::kRunning || state_ == State::kPaused;
}

sandbox::Status DockerSandbox::status() const {
  sandbox::Status status{.state = state_};
  if (shared_->facts)
    status.isolation = isolation_of(*shared_->facts, {.has_network = has_network_,
                                                      .egress_filtered = is_opened_,
                                                      .writable_root = writable_root_,
                                                      .caps = caps_});
  return status;
}

Result<void> DockerSandbox::answers() const {
  if (state_ == State::kPaused) return fail(Code::kConflict, "the sandbox is paused");
  if (state_ != State::kRunning) return fail(Code::kNotStarted, "the sandbox is not running");
  return {};
}

Task<Result<sandbox::GuestLink>> DockerSandbox::open_link() {
  ATOLL_CO_CHECK(answers());
  Result<UniqueFd> socket = std::move(connection_);
  if (!*socket) socket = co_await async::connect_unix(shared_->places.socket(id()));
  if (!socket && !async::is_nobody_there(socket.error())) co_return fail(socket.error());
  if (!socket) {
    Error why = co_await why_gone(socket.error());
    co_return fail(std::move(why));
  }
  async::Stream stream(executor(), std::move(*socket), async::FdKind::kSocket);
  co_return sandbox::GuestLink{std::move(stream), token_, std::nullopt};
}

Task<Result<sandbox::EgressSockets>> DockerSandbox::open_egress() {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  if (has_network_) {
    co_return fail(Code::kPolicyUnsupported,
                   "the container is in a network of the engine, in which no rules hold");
  }
  if (container_.empty() || image_id_.empty()) ATOLL_CO_CHECK(co_await ask_state());
  // Before it is open: whoever finds the sandbox again must not take it for closed.
  ATOLL_CO_CHECK(shared_->places.note_opened(id()));
  is_opened_ = true;
  co_return co_await open_network(shared_, id(), container_, image_id_);
}

// What the image says of variables counts where the caller says nothing.
Task<Result<std::unique_ptr<sandbox::Process>>> DockerSandbox::spawn(sandbox::ExecRequest request) {
  for (const auto& [name, value] : env_) request.env.try_emplace(name, value);
  return GuestSandbox::spawn(std::move(request));
}

// Nobody listens any more: the container has ended, whoever ended it.
Task<Error> DockerSandbox::why_gone(Error error) {
  Result<Json> container = co_await inspect(shared_, id());
  state_ = State::kStopped;
  int number = error.errno_value();
  if (container && truth_at(*container, "/State/OOMKilled")) {
    co_return Error(Code::kNotStarted, "the sandbox ran out of memory and is gone", number);
  }
  co_return Error(Code::kNotStarted, "the sandbox is gone", number);
}

// Somebody else may have paused or ended it.
Task<Result<void>> DockerSandbox::ask_state() {
  std::uint64_t freezes = freezes_;
  Result<Json> container = co_await inspect(shared_, id());
  if (!container && container.error().code() != Code::kNotFound) {
    // The engine may be away, and its containers with it or not: the guest's socket knows.
    Result<UniqueFd> guest = async::connect_unix_now(shared_->places.socket(id()));
    if (guest || !async::is_nobody_there(guest.error())) co_return fail(container.error());
  }
  if (!container || !truth_at(*container, "/State/Running")) {
    state_ = State::kStopped;
    co_return fail(Code::kNotFound, "the sandbox is gone");
  }
  if (freezes == freezes_ && is_running()) {
    state_ = truth_at(*container, "/State/Paused") ? State::kPaused : State::kRunning;
  }
  learn(*container);
  co_return Result<void>();
}

Task<Result<sandbox::Usage>> DockerSandbox::usage() {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  ATOLL_CO_CHECK(co_await ask_state());
  ATOLL_CO_TRY(Json stats, co_await shared_->engine.call(
                               Method::kGet, path() + "/stats?stream=false&one-shot=true"));
  if (!shared_->facts) {
    ATOLL_CO_TRY(shared_->facts, co_await shared_->engine.facts());
  }
  co_return usage_of(stats, figures_of(pid_));
}

Task<bool> DockerSandbox::was_out_of_memory() {
  Result<sandbox::Usage> now = co_await usage();
  if (!now) co_return false;
  co_return std::exchange(oom_kills_seen_, now->oom_kills) < now->oom_kills;
}

Task<Result<void>> DockerSandbox::freeze(bool frozen) {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  State wanted = frozen ? State::kPaused : State::kRunning;
  ATOLL_CO_CHECK(co_await ask_state());
  if (state_ == wanted) co_return Result<void>();
  ++freezes_;
  std::string target = path() + (frozen ? "/pause" : "/unpause");
  state_ = wanted;
  Result<Json> done = co_await shared_->engine.call(Method::kPost, std::move(target));
  ++freezes_;
  if (done) co_return Result<void>();
  state_ = frozen ? State::kRunning : State::kPaused;
  co_return fail(done.error());
}

Task<Result<void>> DockerSandbox::pause() { return freeze(true); }
Task<Result<void>> DockerSandbox::resume() { return freeze(false); }

Task<Result<void>> DockerSandbox::change_limits(sandbox::Limits limits) {
  if (!is_running()) co_return fail(Code::kNotStarted, "the sandbox is not running");
  if (!shared_->facts) {
    ATOLL_CO_TRY(shared_->facts, co_await shared_->engine.facts());
  }
  ATOLL_CO_CHECK(co_await shared_->engine.call(Method::kPost, path() + "/update",
                                               limits_body(limits, *shared_->facts)));
  co_return Result<void>();
}

}  // namespace atl::backends::docker
