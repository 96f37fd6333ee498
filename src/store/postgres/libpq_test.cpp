// A host without libpq, and PostgreSQL's codes as ours.
#include "store/postgres/libpq.hpp"

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "store/postgres/errors.hpp"

namespace atl::store::postgres {
namespace {

// Must be the first and only use of the library in this program: it is loaded once.
TEST(Libpq, MissingIsAClearError) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlimit none = limit;
  none.rlim_cur = 3;  // no file can be opened, so none is found
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  Result<const Libpq*> library = load_libpq();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code(), Code::kHostUnsupported);
  EXPECT_NE(library.error().message().find("libpq5"), std::string::npos);
}

TEST(PostgresErrors, Codes) {
  EXPECT_EQ(fail_sqlstate("").error().code(), Code::kNoAvailableRuntime);
  EXPECT_EQ(fail_sqlstate("57P01").error().code(), Code::kNoAvailableRuntime);
  EXPECT_EQ(fail_sqlstate("53300").error().code(), Code::kNoAvailableRuntime);
  EXPECT_EQ(fail_sqlstate("53100").error().code(), Code::kResourceExhausted);
  EXPECT_EQ(fail_sqlstate("23503").error().code(), Code::kNotFound);
  EXPECT_EQ(fail_sqlstate("22021").error().code(), Code::kInvalidArgument);
  EXPECT_EQ(fail_sqlstate("42601").error().code(), Code::kInternal);
  EXPECT_TRUE(means_lost("08006"));
  EXPECT_FALSE(means_lost("57014"));
}

}  // namespace
}  // namespace atl::store::postgres
