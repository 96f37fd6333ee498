#include "cli/repl/repl_cells.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atl::cli {
namespace {

using testing::ElementsAre;

std::vector<std::string> split(std::string_view bytes, std::size_t step) {
  CellSplitter splitter(100);
  std::vector<std::string> cells;
  while (!bytes.empty()) {
    splitter.feed(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    while (std::optional<std::string> cell = splitter.next(false).value()) cells.push_back(*cell);
  }
  while (std::optional<std::string> cell = splitter.next(true).value()) cells.push_back(*cell);
  return cells;
}

TEST(CellSplitter, CutsAtItsLines) {
  for (std::size_t step : {1u, 3u, 1000u}) {
    EXPECT_THAT(split("a\nb\n# %%\nc\n// %%\nd", step), ElementsAre("a\nb\n", "c\n", "d")) << step;
    EXPECT_THAT(split("# %%\n\n# %%\r\na\n# %%", step), ElementsAre("a\n")) << step;
    EXPECT_THAT(split("a\n # %%\n# %% b\n#%%\n", step), ElementsAre("a\n # %%\n# %% b\n#%%\n"))
        << step;
    EXPECT_TRUE(split("", step).empty());
    EXPECT_TRUE(split(" \n", step).empty());
  }
}

TEST(CellSplitter, ACellIsThereAsSoonAsItsEndIs) {
  CellSplitter splitter(100);
  splitter.feed("a\n# %%\nb");
  EXPECT_EQ(splitter.next(false).value(), "a\n");
  EXPECT_EQ(splitter.next(false).value(), std::nullopt);
}

TEST(CellSplitter, CellsAreBounded) {
  CellSplitter splitter(10);
  splitter.feed("0123456789x");
  EXPECT_EQ(splitter.next(false).error().code(), Code::kTooLarge);
}

// How many lines are taken until the cell is complete, 0 when it never is.
int taken(Syntax syntax, std::vector<std::string> lines) {
  CellBuilder builder(syntax);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (builder.add(lines[i])) return static_cast<int>(i) + 1;
  }
  return 0;
}

TEST(CellBuilder, OneLineIsMostlyACell) {
  for (Syntax syntax : {Syntax::kPython, Syntax::kJavascript, Syntax::kBash}) {
    EXPECT_EQ(taken(syntax, {"1 + 1"}), 1);
    EXPECT_EQ(taken(syntax, {""}), 1);
    EXPECT_EQ(taken(syntax, {"f(a, [b])"}), 1);
    EXPECT_EQ(taken(syntax, {"print(')') "}), 1);
  }
}

TEST(CellBuilder, PythonBlocksEndWithAnEmptyLine) {
  EXPECT_EQ(taken(Syntax::kPython, {"def f():", "  if x:", "    return 1", "  return 2", ""}), 5);
  EXPECT_EQ(taken(Syntax::kPython, {"@decorated", "def f(): pass", ""}), 3);
  EXPECT_EQ(taken(Syntax::kPython, {"x = [", "  1,", "]"}), 3);
  EXPECT_EQ(taken(Syntax::kPython, {"x = [", ""}), 2);
  EXPECT_EQ(taken(Syntax::kPython, {"x = 1 + \\", "  2"}), 2);
  EXPECT_EQ(taken(Syntax::kPython, {"x = '''a", "", "b'''"}), 3);
  EXPECT_EQ(taken(Syntax::kPython, {"x = '('  # ["}), 1);
  EXPECT_EQ(taken(Syntax::kPython, {"x = 'don"}), 1);
  EXPECT_EQ(taken(Syntax::kPython, {"'\\'('"}), 1);
}

TEST(CellBuilder, JavascriptGoesByBrackets) {
  EXPECT_EQ(taken(Syntax::kJavascript, {"function f() {", "  return 1; // }", "}"}), 3);
  EXPECT_EQ(taken(Syntax::kJavascript, {"`a", "${b}", "`"}), 3);
  EXPECT_EQ(taken(Syntax::kJavascript, {"x = {a: 1}"}), 1);
}

TEST(CellBuilder, BashGoesByItsWords) {
  EXPECT_EQ(taken(Syntax::kBash, {"for i in 1 2; do", "  echo $i", "done", ""}), 4);
  EXPECT_EQ(taken(Syntax::kBash, {"if true; then", "echo a", "fi", ""}), 4);
  EXPECT_EQ(taken(Syntax::kBash, {"f() {", "  echo 'it''s'", "}"}), 3);
  EXPECT_EQ(taken(Syntax::kBash, {"echo 'two", "lines'"}), 2);
  EXPECT_EQ(taken(Syntax::kBash, {"echo a#b \\( # ("}), 1);
}

TEST(CellBuilder, HandsOutWhatWasTyped) {
  CellBuilder builder(Syntax::kPython);
  EXPECT_FALSE(builder.add("if x:"));
  EXPECT_FALSE(builder.add("  y"));
  EXPECT_TRUE(builder.add(""));
  EXPECT_EQ(builder.take(), "if x:\n  y\n\n");
  EXPECT_TRUE(builder.empty());
  EXPECT_TRUE(builder.add("1"));
}

}  // namespace
}  // namespace atl::cli
