#include "cli/remote/event_printer.hpp"

#include <gtest/gtest.h>

#include "codec/json.hpp"

namespace atl::cli {
namespace {

// The exit status, or the code's name.
std::string outcome(std::string_view json) {
  auto body = codec::decode<bodies::ExecutionBody>(json, {.keep_defaults = true});
  Result<int> status = outcome_of(body.value(), false, ColorMode::kNever);
  return status ? std::to_string(*status) : std::string(code_name(status.error().code()));
}

TEST(Outcome, IsTheProgramsOwn) {
  EXPECT_EQ(outcome(R"({"state":"completed","exit_code":0,"error":null})"), "0");
  EXPECT_EQ(outcome(R"({"state":"failed","exit_code":3,"error":null})"), "3");
  EXPECT_EQ(outcome(R"({"state":"cancelled","exit_code":130,"error":{"code":"cancelled",
                        "message":"it was cancelled"}})"),
            "130");
}

TEST(Outcome, TimeAndMemoryHaveNumbersOfTheirOwn) {
  EXPECT_EQ(outcome(R"({"state":"timed_out","exit_code":137,"error":{"code":"exec_timeout",
                        "message":"its time was up"}})"),
            "124");
  EXPECT_EQ(outcome(R"({"state":"failed","exit_code":9,"error":{"code":"resource_exhausted",
                        "message":"memory"}})"),
            "137");
}

TEST(Outcome, WithoutAStatusItIsTheError) {
  EXPECT_EQ(outcome(R"({"state":"failed","exit_code":null,"error":{"code":"server_restarted",
                        "message":"x"}})"),
            "server_restarted");
  EXPECT_EQ(outcome(R"({"state":"failed","exit_code":null,"error":null})"), "backend_error");
  EXPECT_EQ(outcome("{}"), "backend_error");
}

}  // namespace
}  // namespace atl::cli
