// Each rule of an owner of descriptors that published wrappers get wrong.
#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <type_traits>

#include <gtest/gtest.h>

namespace atl {
namespace {

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }
UniqueFd open_null() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(UniqueFd, ClosesOnDestruction) {
  int number = -1;
  {
    UniqueFd fd = open_null();
    number = fd.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, MoveAssignmentClosesTheOldOne) {
  UniqueFd first = open_null();
  UniqueFd second = open_null();
  int old = first.get();
  int kept = second.get();
  first = std::move(second);
  EXPECT_FALSE(is_open(old));
  EXPECT_TRUE(is_open(kept));
  EXPECT_EQ(first.get(), kept);
  EXPECT_FALSE(second);  // NOLINT(bugprone-use-after-move): that it is empty is the point
}

TEST(UniqueFd, SurvivesSelfMove) {
  UniqueFd fd = open_null();
  int number = fd.get();
  UniqueFd& alias = fd;
  fd = std::move(alias);
  EXPECT_EQ(fd.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(UniqueFd, NeverClosesTwice) {
  // The number is given away at once; a second close would hit the new owner.
  UniqueFd first = open_null();
  int number = first.get();
  first.reset();
  UniqueFd second = open_null();
  ASSERT_EQ(second.get(), number);
  first.reset();
  first = UniqueFd();
  EXPECT_TRUE(is_open(number));
}

TEST(UniqueFd, ReleaseGivesUpOwnership) {
  int number = -1;
  {
    UniqueFd fd = open_null();
    number = fd.release();
    EXPECT_FALSE(fd);
  }
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(UniqueFd, ZeroIsADescriptorAndMinusOneIsNot) {
  EXPECT_FALSE(UniqueFd(-1));
  EXPECT_FALSE(UniqueFd());
  UniqueFd zero(0);
  EXPECT_TRUE(zero);
  static_cast<void>(zero.release());
}

TEST(UniqueFd, DoesNotTouchErrnoWhenEmpty) {
  errno = E2BIG;
  {
    UniqueFd fd;
  }
  EXPECT_EQ(errno, E2BIG);
}

static_assert(!std::is_copy_constructible_v<UniqueFd>);
static_assert(!std::is_copy_assignable_v<UniqueFd>);
static_assert(!std::is_convertible_v<int, UniqueFd>);
static_assert(std::is_nothrow_move_constructible_v<UniqueFd>);
static_assert(std::is_nothrow_move_assignable_v<UniqueFd>);

}  // namespace
}  // namespace atl
