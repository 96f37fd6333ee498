#include "contexts/contexts.hpp"

#include <gtest/gtest.h>

#include "async/run.hpp"
#include "contexts/test_sandbox.hpp"

namespace atl::contexts {
namespace {

using async::Executor;
using async::Task;

struct Rig {
  Executor executor;
  TestSandbox sandbox;
  Contexts contexts{&sandbox};
};

Task<void> with_rig(Executor executor, Task<void> (*body)(Rig*)) {
  Rig rig{.executor = std::move(executor)};
  co_await body(&rig);
}

void run(Task<void> (*body)(Rig*)) {
  async::run_to_end<void>(
      [body](Executor executor) { return with_rig(std::move(executor), body); });
}

TEST(Contexts, AreFoundByTheirId) {
  run(+[](Rig* rig) -> Task<void> {
    Result<ContextId> first = co_await rig->contexts.open({.cwd = "/tmp"});
    Result<ContextId> second = co_await rig->contexts.open({.language = Language::kBash});
    EXPECT_NE(*first, *second);
    EXPECT_EQ(rig->contexts.list().size(), 2u);
    EXPECT_EQ(rig->contexts.info(*first)->cwd, "/tmp");
    EXPECT_EQ(rig->contexts.info(*second)->language, Language::kBash);
    Result<RunResult> result = co_await rig->contexts.run(*second, {.code = "print hi"});
    EXPECT_EQ(result->stdout_bytes, "hi\n");
    EXPECT_TRUE(rig->sandbox.drivers[0]->codes.empty());
  });
}

TEST(Contexts, AnUnknownIdIsNotFound) {
  run(+[](Rig* rig) -> Task<void> {
    Result<ContextId> id = co_await rig->contexts.open({});
    Result<void> closed = co_await rig->contexts.close(*id);
    EXPECT_TRUE(closed.has_value());
    for (const ContextId& gone : {*id, ContextId("nothing")}) {
      Result<RunResult> result = co_await rig->contexts.run(gone, {.code = "print hi"});
      EXPECT_EQ(result.error().code(), Code::kNotFound);
      Result<bool> interrupted = co_await rig->contexts.interrupt(gone);
      EXPECT_EQ(interrupted.error().code(), Code::kNotFound);
      Result<void> restarted = co_await rig->contexts.restart(gone);
      EXPECT_EQ(restarted.error().code(), Code::kNotFound);
      Result<void> again = co_await rig->contexts.close(gone);
      EXPECT_EQ(again.error().code(), Code::kNotFound);
      EXPECT_EQ(rig->contexts.info(gone).error().code(), Code::kNotFound);
    }
  });
}

Task<void> ask_default(Contexts* contexts, Language language, ContextId* into) {
  Result<ContextId> id = co_await contexts->default_of(language);
  if (id) *into = *id;
}

TEST(Contexts, ADefaultIsOpenedOnce) {
  run(+[](Rig* rig) -> Task<void> {
    async::TaskGroup group(rig->executor);
    ContextId first;
    ContextId second;
    ContextId other;
    group.spawn(ask_default(&rig->contexts, Language::kPython, &first));
    group.spawn(ask_default(&rig->contexts, Language::kPython, &second));
    group.spawn(ask_default(&rig->contexts, Language::kBash, &other));
    co_await group.wait_idle();
    EXPECT_EQ(first, second);
    EXPECT_FALSE(first.empty());
    EXPECT_NE(first, other);
    EXPECT_TRUE(rig->contexts.info(first)->is_default);
    EXPECT_EQ(rig->sandbox.drivers.size(), 2u);
    static_cast<void>(co_await rig->contexts.close(first));
    Result<ContextId> anew = co_await rig->contexts.default_of(Language::kPython);
    EXPECT_NE(*anew, first);
  });
}

TEST(Contexts, ADefaultThatCannotBeOpenedIsTriedAgain) {
  run(+[](Rig* rig) -> Task<void> {
    rig->sandbox.spawn_error = Error(Code::kProgramNotFound, "no python3");
    Result<ContextId> failed = co_await rig->contexts.default_of(Language::kPython);
    EXPECT_EQ(failed.error().code(), Code::kProgramNotFound);
    rig->sandbox.spawn_error.reset();
    Result<ContextId> opened = co_await rig->contexts.default_of(Language::kPython);
    EXPECT_TRUE(opened.has_value());
  });
}

TEST(Contexts, TheirNumberIsBounded) {
  run(+[](Rig* rig) -> Task<void> {
    Result<ContextId> last = fail(Code::kInternal, "");
    for (std::size_t i = 0; i < Contexts::kMaxContexts; ++i) {
      last = co_await rig->contexts.open({});
      EXPECT_TRUE(last.has_value());
    }
    Result<ContextId> refused = co_await rig->contexts.open({});
    EXPECT_EQ(refused.error().code(), Code::kResourceExhausted);
    static_cast<void>(co_await rig->contexts.close(*last));
    Result<ContextId> again = co_await rig->contexts.open({});
    EXPECT_TRUE(again.has_value());
    Result<void> all = co_await rig->contexts.close_all();
    EXPECT_TRUE(all.has_value());
    EXPECT_TRUE(rig->contexts.list().empty());
    for (const auto& driver : rig->sandbox.drivers) EXPECT_TRUE(driver->exit.has_value());
  });
}

TEST(Contexts, AreAttachedUnderTheirOldId) {
  run(+[](Rig* rig) -> Task<void> {
    Result<ContextId> id = co_await rig->contexts.open({});
    std::uint64_t exec_id = rig->contexts.info(*id)->exec_id;
    Contexts later(&rig->sandbox);
    rig->sandbox.drivers[0]->say("ready", R"({"version":"1.0"})");
    Result<std::optional<RunResult>> found = co_await later.reattach(*id, exec_id, {});
    EXPECT_TRUE(found.has_value());
    EXPECT_EQ(later.info(*id)->exec_id, exec_id);
    Result<std::optional<RunResult>> twice = co_await later.reattach(*id, exec_id, {});
    EXPECT_EQ(twice.error().code(), Code::kAlreadyExists);
  });
}

}  // namespace
}  // namespace atl::contexts
