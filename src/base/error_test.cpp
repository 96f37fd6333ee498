#include "base/error.hpp"

#include <cerrno>
#include <set>

#include <gtest/gtest.h>

#include "base/result.hpp"

namespace atl {
namespace {

TEST(Error, EveryCodeHasItsOwnNameAndNumber) {
  std::set<std::string_view> names;
  for (std::uint16_t number = 0; number <= static_cast<std::uint16_t>(Code::kStorageFull);
       ++number) {
    Code code = code_from_number(number);
    EXPECT_EQ(static_cast<std::uint16_t>(code), number);
    EXPECT_TRUE(names.insert(code_name(code)).second) << code_name(code) << " twice";
  }
}

TEST(Error, UnknownNumbersAreAProtocolError) {
  EXPECT_EQ(code_from_number(60'000), Code::kProtocol);
  EXPECT_EQ(code_from_number(static_cast<std::uint16_t>(Code::kStorageFull) + 1), Code::kProtocol);
}

TEST(Error, ErrnoBecomesTheClosestCode) {
  EXPECT_EQ(code_from_errno(ENOENT), Code::kNotFound);
  EXPECT_EQ(code_from_errno(EEXIST), Code::kAlreadyExists);
  EXPECT_EQ(code_from_errno(EACCES), Code::kForbidden);
  EXPECT_EQ(code_from_errno(ENOSPC), Code::kResourceExhausted);
  EXPECT_EQ(code_from_errno(EIO), Code::kIo);
  EXPECT_EQ(code_from_errno(99'999), Code::kIo);
}

TEST(Error, ToStringTellsEverything) {
  Error error(Code::kNotFound, "no such file", ENOENT);
  std::string text = std::move(error).at("open").at("read template").to_string();
  EXPECT_EQ(text, "not_found: no such file (No such file or directory) [open, read template]");
}

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Code::kInvalidArgument, "odd");
  return value / 2;
}

Result<int> quarter(int value) {
  ATOLL_TRY(int first, half(value));
  ATOLL_TRY(int second, half(first));
  return second;
}

Result<void> check_even(int value) {
  ATOLL_CHECK(half(value));
  return {};
}

TEST(Result, TryPassesValuesAndErrorsOn) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().code(), Code::kInvalidArgument);
  EXPECT_TRUE(check_even(2).has_value());
  EXPECT_FALSE(check_even(3).has_value());
}

TEST(Result, FailErrnoKeepsTheNumber) {
  Result<int> result = fail_errno("open", EMFILE);
  EXPECT_EQ(result.error().errno_value(), EMFILE);
  EXPECT_EQ(result.error().code(), Code::kResourceExhausted);
}

}  // namespace
}  // namespace atl
