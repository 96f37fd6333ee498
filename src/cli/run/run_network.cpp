// The network of one run: an atoll-egress of its own, which ends with this process.
#include <algorithm>

#include "async/deadline.hpp"
#include "cli/run/run_state.hpp"
#include "codec/base64.hpp"
#include "codec/names.hpp"

namespace atl::cli {
namespace {

constexpr std::chrono::seconds kAnswerTime{20};  // docker starts a container for it
constexpr std::chrono::milliseconds kLastWords{500};
constexpr std::size_t kMostWarnings = 10;

void remember(RunState* state, const std::vector<egress::Refusal>& refusals) {
  for (const egress::Refusal& one : refusals) {
    std::string text = one.name;
    if (one.port != 0) text += ":" + std::to_string(one.port);
    text += " (" + codec::enum_name(one.reason);
    if (!one.detail.empty()) text += ": " + one.detail;
    state->refused[text + ")"] += one.count;
  }
  state->refusal.notify_all();
}

async::Task<Result<void>> attach(RunState* state) {
  RunPlan& plan = state->plan;
  egress::Secrets secrets;
  if (!plan.network->policy.secrets.empty()) {
    ATOLL_CO_CHECK(co_await state->egress->apply({.authority = std::move(plan.authority)}));
    for (const auto& [name, value] : plan.network->secrets) {
      secrets.values[name] = codec::base64(value);
    }
    secrets.placeholders = plan.network->placeholders;
  }
  ATOLL_CO_TRY(sandbox::EgressSockets sockets, co_await state->sandbox->open_egress());
  egress::Attach attach{.sandbox = state->sandbox->id().str(),
                        .policy = plan.network->policy,
                        .secrets = std::move(secrets)};
  co_return co_await state->egress->attach(std::move(attach), std::move(sockets.listener),
                                           std::move(sockets.dns));
}

// What was refused is told a moment later.
async::Task<Result<void>> hear_refusals(RunState* state) {
  ATOLL_CO_TRY(egress::Figures figures,
               co_await state->egress->figures(state->sandbox->id().str()));
  for (;;) {
    std::uint64_t heard = 0;
    for (const auto& [text, count] : state->refused) heard += count;
    if (heard >= figures.refused) co_return Result<void>();
    co_await state->refusal.wait();
  }
}

void warn_of_refusals(const RunState& state) {
  if (state.plan.quiet) return;
  std::size_t left = kMostWarnings;
  for (const auto& [text, count] : state.refused) {
    if (left-- == 0) break;
    print_warning("the network policy refused " + text, state.plan.color);
  }
  if (state.refused.size() > kMostWarnings) {
    print_warning("and " + std::to_string(state.refused.size() - kMostWarnings) + " more",
                  state.plan.color);
  }
}

}  // namespace

async::Task<Result<void>> open_network(RunState* state) {
  state->egress = std::make_unique<egress::Client>(
      state->executor, std::move(state->plan.egress),
      [state](const auto& refusals, std::uint64_t) { remember(state, refusals); });
  Result<void> attached =
      co_await async::with_deadline(attach(state), async::deadline_in(kAnswerTime), Code::kBackend,
                                    "atoll-egress does not answer");
  if (!attached) co_return fail(Error(attached.error()).at("network"));
  state->report.isolation = state->sandbox->status().isolation;
  co_return Result<void>();
}

async::Task<void> close_network(RunState* state) {
  if (state->interrupted_by == 0) {
    (void)co_await async::with_deadline(hear_refusals(state), async::deadline_in(kLastWords),
                                        Code::kBackend, "");
  }
  state->egress.reset();
  warn_of_refusals(*state);
}

}  // namespace atl::cli
