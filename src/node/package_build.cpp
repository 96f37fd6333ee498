#include "node/package_build.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "async/deadline.hpp"
#include "async/event.hpp"
#include "async/task_group.hpp"
#include "guest/pack.hpp"
#include "node/host_tree.hpp"

namespace atl::node {

using async::Task;

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kInstallTime{10};
constexpr std::chrono::milliseconds kMeasured{250};  // between looks at what was written
constexpr std::size_t kShown = 500;                  // of what an installer says
constexpr int kNoProgram = 127;

// The end of what it said, which is where the reason stands.
std::string last_words(std::string said) {
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said.size() > kShown ? "…" + said.substr(said.size() - kShown) : said;
}

struct Running {
  explicit Running(async::Executor executor) : tasks(std::move(executor)) {}

  std::optional<Result<sandbox::ExecResult>> ended;
  async::Event changed;
  async::TaskGroup tasks;
};

Task<void> run(std::shared_ptr<Running> running, SandboxPtr sandbox, sandbox::ExecRequest request) {
  Result<sandbox::ExecResult> result = co_await sandbox->exec(std::move(request));
  running->ended = std::move(result);
  running->changed.notify_all();
}

Task<Result<void>> until_ended(std::shared_ptr<Running> running) {
  while (!running->ended) co_await running->changed.wait();
  co_return Result<void>();
}

Task<Result<sandbox::ExecResult>> watch(
    std::shared_ptr<Running> running, SandboxPtr sandbox,
    std::function<Task<Result<void>>(std::uint64_t bytes)> check) {
  for (;;) {
    (void)co_await async::with_deadline(until_ended(running), async::deadline_in(kMeasured),
                                        Code::kExecTimeout, "");
    if (running->ended) co_return std::move(*running->ended);
    Result<sandbox::Usage> usage = co_await sandbox->usage();
    if (usage) ATOLL_CO_CHECK(co_await check(usage->disk_bytes));
  }
}

// Whoever is inside is nobody's owner: what all may read is what he reads.
TreeEntry entry_of(const guest::PackEntry& entry) {
  bool enter = entry.kind == guest::FileInfo::kDirectory || (entry.mode & 0111) != 0;
  return {.kind = entry.kind,
          .mode = enter ? 0755u : 0644u,
          .size = entry.size,
          .mtime_ns = entry.mtime_ns,
          .target = entry.target};
}

// One piece of the pack. Blocks.
Result<void> unpack(guest::PackReader& reader, HostTree& tree, std::string_view piece) {
  using Event = guest::PackReader::Event;
  for (;;) {
    ATOLL_TRY(Event event, reader.next(piece));
    const guest::PackEntry& entry = reader.entry();
    bool is_file = entry.kind == guest::FileInfo::kFile;
    if (event == Event::kMore || event == Event::kEnd) return {};
    if (event == Event::kEntry && is_file) ATOLL_CHECK(tree.begin());
    if (event == Event::kEntry && !is_file) ATOLL_CHECK(tree.make(entry.path, entry_of(entry)));
    if (event == Event::kContent) ATOLL_CHECK(tree.write(reader.content()));
    if (event == Event::kDone && is_file) ATOLL_CHECK(tree.end(entry.path, entry_of(entry)));
  }
}

Task<Result<void>> fetch(SandboxPtr sandbox, std::string folder, std::string staging,
                         async::Pool* pool) {
  std::string tree_folder = staging + "/tree";
  ATOLL_CO_TRY(std::optional<HostTree> tree,
               co_await async::on_pool(*pool, [&]() -> Result<std::optional<HostTree>> {
                 std::error_code failed;
                 fs::create_directories(tree_folder, failed);
                 if (failed) return fail_errno("making a folder for packages", failed.value());
                 fs::permissions(tree_folder, fs::perms(0755), failed);
                 ATOLL_TRY(HostTree opened, HostTree::open(tree_folder, staging));
                 return std::optional<HostTree>(std::move(opened));
               }));
  ATOLL_CO_TRY(std::unique_ptr<sandbox::ByteStream> pack, co_await sandbox->get_tree(folder));
  guest::PackReader reader({.entries = kMaxTreeEntries, .bytes = kBuildLimits.disk_bytes});
  for (;;) {
    ATOLL_CO_TRY(std::string piece, co_await pack->read());
    if (piece.empty()) break;
    ATOLL_CO_CHECK(co_await async::on_pool(*pool, [&] { return unpack(reader, *tree, piece); }));
  }
  if (!reader.ended()) co_return fail(Code::kProtocol, "the packages came only in part");
  co_return Result<void>();
}

}  // namespace

Task<Result<SandboxPtr>> BuildRooms::open(std::string backend, IndexAddress index,
                                          std::vector<std::string> addresses) {
  if (networks_ == nullptr) {
    co_return fail(Code::kPolicyUnsupported,
                   "packages cannot be installed: this server has no way out for its sandboxes");
  }
  ATOLL_CO_TRY(SandboxPtr sandbox, co_await make_(std::move(backend)));
  open_[sandbox->id().str()] = sandbox;
  NetworkGrant grant;
  grant.policy.rules.push_back({.target = index.inside, .ports = {{index.port, index.port}}});
  grant.pinned[index.inside] = std::move(addresses);
  Result<void> applied = co_await networks_->apply(sandbox, std::move(grant));
  if (applied) co_return sandbox;
  co_await close(sandbox);
  co_return fail(applied.error());
}

Task<void> BuildRooms::close(SandboxPtr sandbox) {
  if (open_.erase(sandbox->id().str()) == 0) co_return;
  co_await networks_->release(sandbox->id());
  (void)co_await sandbox->stop();
}

Task<void> BuildRooms::close_all() {
  while (!open_.empty()) co_await close(open_.begin()->second);
}

Task<Result<void>> build_packages(async::Executor executor, SandboxPtr sandbox, IndexAddress index,
                                  PackageOrder order, async::Pool* pool) {
  const Installer& installer = *order.installer;
  ATOLL_CO_CHECK(co_await sandbox->make_dir(installer.result, 0755, true));
  sandbox::ExecRequest request{.argv = installer.words(index),
                               .env = installer.environment(index),
                               .cwd = installer.result,
                               .timeout = kInstallTime};
  std::ranges::move(order.packages, std::back_inserter(request.argv));
  auto running = std::make_shared<Running>(std::move(executor));
  running->tasks.spawn(run(running, sandbox, std::move(request)));
  Result<sandbox::ExecResult> result = co_await watch(running, sandbox, std::move(order.check));
  co_await running->tasks.join();
  if (!result) co_return fail(result.error());
  if (result->status.timed_out) {
    co_return fail(Code::kCreateTimeout, "installing the packages of the template took too long");
  }
  if (result->status.exit_code == kNoProgram) {
    co_return fail(Code::kUnsupported, std::string(installer.name) + " is not on this host");
  }
  if (result->status.exit_code != 0) {
    co_return fail(Code::kInvalidValue, "the packages of the template cannot be installed: " +
                                            last_words(std::move(result->output)));
  }
  co_return co_await fetch(sandbox, installer.result, std::move(order.staging), pool);
}

}  // namespace atl::node
