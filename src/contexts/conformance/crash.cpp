// Contexts outlive the server that opened them.
#include "contexts/conformance/speech.hpp"

namespace atl::contexts {
namespace {

Task<void> survives_its_host(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult set, co_await context->run({.code = speech->remember}));
  std::uint64_t exec_id = context->exec_id();
  ATOLL_NEED(box->sandbox,
             co_await box->target->crash_and_reattach(&box->backend, std::move(box->sandbox)));
  context.reset();

  ATOLL_NEED(Context::Reattached found, co_await Context::reattach(box->sandbox.get(), exec_id,
                                                                   {.language = speech->language}));
  EXPECT_FALSE(found.last.value_or(RunResult{}).interrupted);
  ATOLL_NEED(RunResult kept, co_await found.context->run({.code = speech->recall}));
  EXPECT_EQ(answer(kept), "42");
  EXPECT_FALSE(kept.restarted);
  ATOLL_NEED_OK(co_await found.context->close());
}
ATOLL_CONTEXT_CASE(ContextSurvivesItsHost, survives_its_host, {Cap::kReattach});
ATOLL_ZYGOTE_CASE(ContextSurvivesItsHost, survives_its_host);

Task<void> run_until_told(Context* context, std::string code, async::Event* told) {
  OnEvent on_event = [told](const RunEvent*) -> Task<Result<void>> {
    told->notify_all();
    static constexpr auto kNothing = []() -> Task<Result<void>> { co_return Result<void>(); };
    return kNothing();
  };
  Result<RunResult> lost =
      co_await context->run({.code = std::move(code), .on_event = std::move(on_event)});
  EXPECT_FALSE(lost.has_value());
}

// A run that nobody waits for any more is ended; what it said and what was there before are kept.
Task<void> ends_orphaned_runs(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult set, co_await context->run({.code = speech->remember}));
  std::uint64_t exec_id = context->exec_id();
  async::Event told;
  async::TaskGroup group(box->executor);
  group.spawn(run_until_told(context.get(), speech->sleep, &told));
  co_await told.wait();
  ATOLL_NEED(box->sandbox,
             co_await box->target->crash_and_reattach(&box->backend, std::move(box->sandbox)));
  co_await group.wait_idle();
  context.reset();

  ATOLL_NEED(Context::Reattached found, co_await Context::reattach(box->sandbox.get(), exec_id,
                                                                   {.language = speech->language}));
  RunResult last = std::move(found.last).value_or(RunResult{});
  EXPECT_TRUE(last.interrupted);
  EXPECT_EQ(last.exit_code, 130);
  EXPECT_EQ(last.stdout_bytes, "started\n");
  ATOLL_NEED(RunResult kept, co_await found.context->run({.code = speech->recall}));
  EXPECT_EQ(answer(kept), "42");
}
ATOLL_CONTEXT_CASE(ContextEndsOrphanedRuns, ends_orphaned_runs, {Cap::kReattach});
ATOLL_ZYGOTE_CASE(ContextEndsOrphanedRuns, ends_orphaned_runs);

Task<void> no_such_execution(Box* box, const Speech* speech) {
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await Context::reattach(box->sandbox.get(), 4711,
                                                                {.language = speech->language}));
}
ATOLL_CONTEXT_CASE_IN(Python, ContextReattachToNothing, no_such_execution, {Cap::kReattach});

}  // namespace
}  // namespace atl::contexts
