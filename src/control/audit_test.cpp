#include "control/audit.hpp"

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace atl::control {
namespace {

TEST(Audit, OfACommandOnlyItsProgramIsSaid) {
  EXPECT_EQ(program_of("  curl -H 'Authorization: Bearer s3cret' https://x"), "curl");
  EXPECT_EQ(program_of("/usr/bin/g++\t-o x"), "/usr/bin/g++");
  EXPECT_EQ(program_of("TOKEN=s3cret ./deploy"), "TOKEN=");
  EXPECT_EQ(program_of("TOKEN=\"s3 cret\" ./deploy"), "TOKEN=");
  EXPECT_EQ(program_of("psql://me:s3cret@host"), "psql");
  EXPECT_EQ(program_of("\"$HOME/a b\" c"), "sh");
  EXPECT_EQ(program_of("(ls; pwd)"), "sh");
  EXPECT_EQ(program_of("echo;ls"), "echo");
  EXPECT_EQ(program_of(""), "sh");
  EXPECT_EQ(audit_detail({.code = "print('s3cret')", .language = "python"}), "python");
  EXPECT_EQ(audit_detail({.argv = {"git", "clone"}}), "git");
  EXPECT_EQ(audit_detail({.shell_command = "rm -rf /"}), "rm");
}

TEST(Audit, ARowHasTheTimeOfItsIdAndAShortDetail) {
  Caller caller{.tenant = "t", .key_id = "k", .trace_id = "trace", .request_id = "request"};
  std::string path = "x";
  for (int i = 0; i < 150; ++i) path += "é";
  store::AuditRow row =
      audit_row(caller, {.action = model::AuditAction::kFileWritten, .detail = path});
  EXPECT_EQ(row.time.time_since_epoch().count(),
            static_cast<std::int64_t>(id_milliseconds(row.id)));
  EXPECT_EQ(row.detail.size(), 199u);
  EXPECT_TRUE(is_utf8(row.detail));
  EXPECT_EQ(row.tenant + row.key_id + row.trace_id + row.request_id, "tktracerequest");
  EXPECT_LT(row.id, audit_row(caller, {}).id);
}

}  // namespace
}  // namespace atl::control
