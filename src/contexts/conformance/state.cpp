// What code leaves behind and what it says, in every language.
#include <gmock/gmock.h>

#include "async/task_group.hpp"
#include "contexts/conformance/speech.hpp"

namespace atl::contexts {
namespace {

using testing::HasSubstr;

Task<void> keeps_state(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  EXPECT_FALSE(context->version().empty());
  ATOLL_NEED(RunResult first, co_await context->run({.code = speech->remember}));
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_TRUE(first.shown.empty());
  ATOLL_NEED(RunResult second, co_await context->run({.code = speech->recall}));
  EXPECT_EQ(answer(second), "42");
  EXPECT_EQ(second.execution_count, first.execution_count + 1);
  EXPECT_FALSE(second.restarted);
  ATOLL_NEED_OK(co_await context->close());
}
ATOLL_CONTEXT_CASE(ContextKeepsState, keeps_state);
ATOLL_ZYGOTE_CASE(ContextKeepsState, keeps_state);

Task<void> output_is_in_order(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult result, co_await context->run({.code = speech->print_both}));
  EXPECT_EQ(result.stdout_bytes, "1\n3\n");
  EXPECT_EQ(result.stderr_bytes, "2\n");
  // Programs write to two pipes, and nobody can tell in which order.
  if (speech->language != Language::kBash) EXPECT_EQ(result.output, "1\n2\n3\n");
  ATOLL_NEED(RunResult child, co_await context->run({.code = speech->child_prints}));
  EXPECT_EQ(child.stdout_bytes, "child\nparent\n");
}
ATOLL_CONTEXT_CASE(ContextOutputIsInOrder, output_is_in_order);
ATOLL_ZYGOTE_CASE(ContextOutputIsInOrder, output_is_in_order);

Task<void> errors_are_told(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult result, co_await context->run({.code = speech->raise}));
  EXPECT_EQ(result.stdout_bytes, "before\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_FALSE(result.crashed.has_value());
  if (speech->language == Language::kPython) {
    EXPECT_TRUE(result.error.has_value());
    EXPECT_EQ(result.error.value_or(CodeError{}).ename, "ZeroDivisionError");
    EXPECT_EQ(result.error.value_or(CodeError{}).evalue, "division by zero");
    EXPECT_THAT(result.error.value_or(CodeError{}).traceback, HasSubstr("1/0"));
  }
  if (speech->language == Language::kJavascript) {
    EXPECT_EQ(result.error.value_or(CodeError{}).ename, "TypeError");
  }
  ATOLL_NEED(RunResult next, co_await context->run({.code = speech->print}));
  EXPECT_EQ(next.stdout_bytes, "hello\n");
  EXPECT_EQ(next.exit_code, 0);
}
ATOLL_CONTEXT_CASE(ContextTellsErrors, errors_are_told);
ATOLL_ZYGOTE_CASE(ContextTellsErrors, errors_are_told);

Task<void> input_is_empty(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult result, co_await context->run({.code = speech->read_input}));
  EXPECT_EQ(result.stdout_bytes, "end\n") << result.output;
}
ATOLL_CONTEXT_CASE(ContextInputIsEmpty, input_is_empty);
ATOLL_ZYGOTE_CASE(ContextInputIsEmpty, input_is_empty);

Task<void> starts_where_it_is_told(Box* box, const Speech* speech) {
  ATOLL_NEED_OK(co_await box->sandbox->make_dir(box->path("folder"), 0755, false));
  ATOLL_NEED(auto context,
             co_await Context::open(box->sandbox.get(), {.language = speech->language,
                                                         .cwd = box->path("folder"),
                                                         .env = {{"GREETING", "good day"}}}));
  ATOLL_NEED(RunResult where, co_await context->run({.code = speech->where}));
  EXPECT_EQ(where.stdout_bytes, box->path("folder") + "\n");
  ATOLL_NEED(RunResult variable, co_await context->run({.code = speech->variable}));
  EXPECT_EQ(variable.stdout_bytes, "good day\n");
}
ATOLL_CONTEXT_CASE(ContextStartsWhereItIsTold, starts_where_it_is_told);
ATOLL_ZYGOTE_CASE(ContextStartsWhereItIsTold, starts_where_it_is_told);

Task<void> python_shows(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult result, co_await context->run({.code = R"(
class Page:
    def _repr_html_(self): return '<b>é</b>'
display(Page())
print('between')
Page())"}));
  EXPECT_EQ(result.stdout_bytes, "between\n");
  EXPECT_EQ(result.shown.size(), 2u) << result.output;
  if (result.shown.size() != 2) co_return;
  EXPECT_FALSE(result.shown[0].is_result);
  EXPECT_TRUE(result.shown[1].is_result);
  for (const Shown& shown : result.shown) {
    EXPECT_EQ(shown.bundle.string("text/html"), "<b>é</b>");
    EXPECT_TRUE(shown.bundle.string("text/plain").has_value());
  }
}
ATOLL_CONTEXT_CASE_IN(Python, ContextShowsThings, python_shows);
ATOLL_ZYGOTE_CASE(ContextShowsThings, python_shows);

Task<void> javascript_shows(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult result, co_await context->run({.code = "const v = await 5; ({a: v})"}));
  EXPECT_EQ(result.shown.size(), 1u) << result.output;
  if (result.shown.empty()) co_return;
  EXPECT_EQ(result.shown[0].bundle.raw("application/json"), R"({"a":5})");
}
ATOLL_CONTEXT_CASE_IN(Javascript, ContextShowsThings, javascript_shows);

Task<void> types_are_stripped(Box* box, const Speech* speech) {
  auto context = co_await open_context(box, speech);
  if (!context) {
    // Older ones cannot, and say so when they are asked for.
    EXPECT_EQ(context.error().code(), Code::kUnsupported);
    EXPECT_THAT(context.error().message(), HasSubstr("needs node 22.13 or newer"));
    co_return;
  }
  ATOLL_NEED(RunResult result,
             co_await (*context)->run({.code = "const twice = (n: number): number => 2 * n; "
                                               "twice(21)"}));
  EXPECT_FALSE(result.crashed.has_value());
  EXPECT_EQ(answer(result), "42");
}
ATOLL_CONTEXT_CASE_IN(Typescript, ContextStripsTypes, types_are_stripped);

Task<void> bash_survives_its_own_rules(Box* box, const Speech* speech) {
  ATOLL_NEED(auto context, co_await open_context(box, speech));
  ATOLL_NEED(RunResult strict, co_await context->run({.code = "set -e; cd /tmp; false; echo no"}));
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_EQ(strict.stdout_bytes, "");
  EXPECT_FALSE(strict.crashed.has_value());
  ATOLL_NEED(RunResult where, co_await context->run({.code = "pwd"}));
  EXPECT_EQ(where.stdout_bytes, "/tmp\n");
  ATOLL_NEED(RunResult left, co_await context->run({.code = "exit 7"}));
  EXPECT_EQ(left.exit_code, 7);
}
ATOLL_CONTEXT_CASE_IN(Bash, ContextSurvivesSetE, bash_survives_its_own_rules);

Task<void> count(Contexts* contexts, ContextId id, std::string code, std::string* into) {
  Result<RunResult> result = co_await contexts->run(std::move(id), {.code = std::move(code)});
  *into = result ? answer(*result) : result.error().to_string();
}

Task<void> side_by_side(Box* box, const Speech* speech) {
  Contexts contexts(box->sandbox.get());
  ATOLL_NEED(ContextId one, co_await contexts.open({.language = speech->language}));
  ATOLL_NEED(ContextId two, co_await contexts.open({.language = speech->language}));
  ATOLL_NEED(RunResult set, co_await contexts.run(one, {.code = speech->remember}));
  std::string first;
  std::string second;
  async::TaskGroup group(box->executor);
  group.spawn(count(&contexts, one, speech->recall, &first));
  group.spawn(count(&contexts, two, speech->print, &second));
  co_await group.wait_idle();
  EXPECT_EQ(first, "42");
  EXPECT_EQ(second, "hello");
  // What one was told is nothing to the other.
  ATOLL_NEED(RunResult unknown, co_await contexts.run(two, {.code = speech->recall}));
  EXPECT_NE(unknown.exit_code, 0);
  ATOLL_NEED_OK(co_await contexts.close(one));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await contexts.run(one, {.code = speech->print}));
  ATOLL_NEED_OK(co_await contexts.close_all());
}
ATOLL_CONTEXT_CASE(ContextsRunSideBySide, side_by_side);
ATOLL_ZYGOTE_CASE(ContextsRunSideBySide, side_by_side);

Task<void> runs_in_order(Box* box, const Speech* speech) {
  Contexts contexts(box->sandbox.get());
  ATOLL_NEED(ContextId id, co_await contexts.default_of(speech->language));
  ATOLL_NEED(RunResult begin, co_await contexts.run(id, {.code = "said = ''"}));
  std::array<std::string, 8> answers;
  async::TaskGroup group(box->executor);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::string code = "said += '" + std::to_string(i) + "'; print(said)";
    group.spawn(count(&contexts, id, code, &answers[i]));
  }
  co_await group.wait_idle();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i], std::string("01234567").substr(0, i + 1));
  }
}
ATOLL_CONTEXT_CASE_IN(Python, ContextRunsInOrder, runs_in_order);

}  // namespace
}  // namespace atl::contexts
