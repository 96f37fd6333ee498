#include <gtest/gtest.h>

#include "cli/core/option.hpp"

namespace atl::cli {
namespace {

struct Target {
  bool all = false;
  bool big = false;
  std::string name;
  std::vector<std::string> list;
};

Result<void> refuse(void*, std::string_view) { return fail(Code::kTooLarge, "is too much"); }

constexpr Option kTable[] = {
    {.name = "all", .short_name = 'a', .set = set_flag<&Target::all>},
    {.name = "big", .short_name = 'b', .set = set_flag<&Target::big>},
    {.name = "name", .short_name = 'n', .argument = "NAME", .set = set_text<&Target::name>},
    {.name = "list", .argument = "X", .set = add_text<&Target::list>},
    {.name = "bad", .argument = "X", .set = refuse},
};

struct Outcome {
  Target target;
  Result<ParseResult> result;
};

Outcome parse(std::vector<std::string_view> arguments) {
  Outcome outcome{.result = ParseResult{}};
  outcome.result = parse_options(arguments, kTable, &outcome.target);
  return outcome;
}

std::string complaint(std::vector<std::string_view> arguments) {
  Outcome outcome = parse(std::move(arguments));
  return outcome.result ? "" : outcome.result.error().message();
}

TEST(Parser, LongAndShortForms) {
  EXPECT_EQ(parse({"--name", "x"}).target.name, "x");
  EXPECT_EQ(parse({"--name=x=y"}).target.name, "x=y");
  EXPECT_EQ(parse({"--name="}).target.name, "");
  EXPECT_EQ(parse({"-n", "x"}).target.name, "x");
  EXPECT_EQ(parse({"-nx"}).target.name, "x");
  Outcome grouped = parse({"-abn", "x"});
  EXPECT_TRUE(grouped.target.all && grouped.target.big);
  EXPECT_EQ(grouped.target.name, "x");
  EXPECT_EQ(parse({"--list", "1", "--list=2"}).target.list, (std::vector<std::string>{"1", "2"}));
}

TEST(Parser, OptionsAreNoValues) {
  EXPECT_EQ(complaint({"--name", "--all"}), "--name needs a value: NAME");
  EXPECT_EQ(complaint({"-n", "--", "x"}), "-n needs a value: NAME");
  EXPECT_EQ(complaint({"-an", "-b"}), "-n needs a value: NAME");
  EXPECT_EQ(parse({"--name", "-"}).target.name, "-");
  EXPECT_EQ(parse({"--name", "-1.5"}).target.name, "-1.5");
  EXPECT_EQ(parse({"--name", ""}).target.name, "");
  EXPECT_EQ(parse({"--name=--all"}).target.name, "--all");
  EXPECT_EQ(parse({"-n-b"}).target.name, "-b");
}

TEST(Parser, StopsAtTheFirstWord) {
  Outcome outcome = parse({"-a", "ls", "-b"});
  ASSERT_TRUE(outcome.result);
  EXPECT_EQ(outcome.result->rest, 1u);
  EXPECT_FALSE(outcome.result->separated);
  EXPECT_FALSE(outcome.target.big);
  EXPECT_EQ(parse({"-a", "-"}).result->rest, 1u);
  EXPECT_EQ(parse({""}).result->rest, 0u);
}

TEST(Parser, TwoDashesEndTheOptions) {
  Outcome outcome = parse({"-a", "--", "-b"});
  ASSERT_TRUE(outcome.result);
  EXPECT_EQ(outcome.result->rest, 2u);
  EXPECT_TRUE(outcome.result->separated);
  EXPECT_FALSE(outcome.target.big);
}

TEST(Parser, Complains) {
  EXPECT_EQ(complaint({"--nmae", "x"}), "there is no option --nmae; did you mean --name?");
  EXPECT_EQ(complaint({"--zzzzzz"}), "there is no option --zzzzzz");
  EXPECT_EQ(complaint({"-az"}), "there is no option -z");
  EXPECT_EQ(complaint({"--name"}), "--name needs a value: NAME");
  EXPECT_EQ(complaint({"-an"}), "-n needs a value: NAME");
  EXPECT_EQ(complaint({"--all=1"}), "--all takes no value");
  EXPECT_EQ(complaint({"--bad", "9"}), "--bad 9: is too much");
  EXPECT_EQ(parse({"--bad", "9"}).result.error().code(), Code::kTooLarge);
}

}  // namespace
}  // namespace atl::cli
