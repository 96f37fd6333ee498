// The sandbox of one run or session: made as the plan says, and taken down.
#include <algorithm>

#include "async/deadline.hpp"
#include "base/write_all.hpp"
#include "cli/run/run_state.hpp"

namespace atl::cli {
namespace {

constexpr std::chrono::seconds kCreateDeadline{30};
constexpr std::chrono::seconds kStopDeadline{10};
// For what a new zygote says of its modules, which the first run with a list waits for.
constexpr std::chrono::seconds kZygoteDeadline{2};

bool lacks(const sandbox::Isolation& isolation, std::string_view layer) {
  return std::ranges::find(isolation.missing, layer) != isolation.missing.end();
}

// A limit that was asked for and is not there is a failure, whatever the backend thought of it.
// Memory has a second line without cgroups (RLIMIT_DATA), so that word is the backend's.
Result<void> check_asked(const sandbox::AskedLimits& asked, const sandbox::Isolation& isolation) {
  const char* option = asked.cpus && lacks(isolation, "cpu_limit")    ? "--cpus"
                       : asked.pids && lacks(isolation, "pids_limit") ? "--pids"
                       : asked.disk && lacks(isolation, "disk_limit") ? "--disk"
                                                                      : nullptr;
  if (option == nullptr) return {};
  return fail(Code::kLimitUnenforceable,
              std::string(option) + ": this host cannot enforce that limit");
}

void warn_missing(const RunPlan& plan, const sandbox::Isolation& isolation) {
  std::vector<std::string> missing = isolation.missing;
  if (plan.spec.writable_root) std::erase(missing, "read_only_root");  // as it was asked for
  if (plan.quiet || missing.empty()) return;
  bool is_default = plan.backend == model::kDefaultBackend;  // which `atoll doctor` examines
  std::string sentence =
      (is_default ? "this host" : "the backend " + plan.backend) + " does not give";
  for (const std::string& layer : missing) {
    sentence += (&layer == &missing.front() ? " " : ", ") + layer;
  }
  print_warning(
      sentence + "; see `atoll " + (is_default ? "doctor" : "backends") + "` (-q hides this)",
      plan.color);
}

async::Task<void> leave_zygote(RunState* state, sandbox::Preload preload) {
  std::vector<std::string> named = preload.modules;
  state->zygote = co_await state->backend.prepare(std::move(preload));
  if (!*state->zygote) co_return;
  std::erase_if((*state->zygote)->missing, [&](const auto& one) {
    return std::ranges::find(named, one.first) == named.end();  // what contexts add
  });
}

async::Task<Result<void>> zygote_is_told_of(RunState* state) {
  co_await state->leaving.wait_idle();
  co_return Result<void>();
}

// The program has run without it; whoever named the modules wants to know nevertheless.
void warn_of_zygote(const RunState& state) {
  if (state.plan.quiet || !state.zygote) return;
  const Result<sandbox::ZygoteReport>& ready = *state.zygote;
  if (!ready && ready.error().code() == Code::kInvalidArgument) {
    print_warning("--preload: " + ready.error().message() + "; Python was started plainly",
                  state.plan.color);
  }
  if (!ready) return;
  for (const auto& [module, reason] : ready->missing) {
    std::string sentence = "--preload: " + module;
    sentence.append(" cannot be loaded: ").append(reason);
    print_warning(sentence, state.plan.color);
  }
}

async::Task<Result<void>> make_sandbox(RunState* state) {
  std::optional<sandbox::Preload> preload = state->plan.spec.preload;
  ATOLL_CO_TRY(state->sandbox, co_await state->backend.create(std::move(state->plan.spec)));
  ATOLL_CO_CHECK(co_await state->sandbox->start());
  state->plan.trust_folder.reset();
  state->report.isolation = state->sandbox->status().isolation;
  warn_missing(state->plan, state->report.isolation);
  std::string walls = "the sandbox is up; its walls:";
  for (const std::string& layer : state->report.isolation.layers) walls += " " + layer;
  say(state->plan, std::move(walls));
  if (state->sandbox->status().has_zygote) {
    say(state->plan, "Python comes from a zygote");
  } else if (preload) {
    state->leaving.spawn(leave_zygote(state, std::move(*preload)));
  }
  if (state->plan.network) ATOLL_CO_CHECK(co_await open_network(state));
  if (state->plan.file) {
    ATOLL_CO_CHECK(co_await state->sandbox->put_text(state->plan.file->path,
                                                     std::move(state->plan.file->content)));
  }
  co_return Result<void>{};
}

}  // namespace

void say(const RunPlan& plan, std::string text) {
  if (plan.verbose) write_all(2, "atoll: " + std::move(text) + "\n");
}

async::Task<Result<void>> bring_up(RunState* state) {
  sandbox::AskedLimits asked = state->plan.spec.asked;
  ATOLL_CO_CHECK(co_await async::with_deadline(
      make_sandbox(state), async::deadline_in(kCreateDeadline), Code::kCreateTimeout,
      "the sandbox was not ready within 30 seconds"));
  co_return check_asked(asked, state->report.isolation);
}

async::Task<void> take_down(RunState* state) {
  if (!state->sandbox) co_return;
  if (state->egress) co_await close_network(state);
  Result<void> stopped =
      co_await async::with_deadline(state->sandbox->stop(), async::deadline_in(kStopDeadline),
                                    Code::kBackend, "the sandbox did not stop in time");
  if (!stopped && !state->report.error) state->report.error = std::move(stopped).error();
  if (state->interrupted_by != 0) co_return;
  (void)co_await async::with_deadline(zygote_is_told_of(state), async::deadline_in(kZygoteDeadline),
                                      Code::kCreateTimeout, "the zygote still loads");
  co_await state->leaving.join();
  warn_of_zygote(*state);
}

}  // namespace atl::cli
