#include "cli/doctor/doctor.hpp"

#include <sched.h>

#include <cerrno>

#include <gtest/gtest.h>

#include "cli/doctor/probe.hpp"

namespace atl::cli {
namespace {

Diagnosis sample(Mark mark) {
  Diagnosis diagnosis;
  diagnosis.findings.push_back({.group = "A", .name = "one", .detail = "fine"});
  diagnosis.findings.push_back(
      {.group = "B", .name = "longer", .mark = mark, .detail = "so so", .advice = "do it"});
  return diagnosis;
}

TEST(Doctor, WorksUnlessSomethingFailed) {
  EXPECT_TRUE(sample(Mark::kOk).works());
  EXPECT_TRUE(sample(Mark::kInfo).works());
  EXPECT_TRUE(sample(Mark::kWarn).works());
  EXPECT_FALSE(sample(Mark::kFail).works());
}

TEST(Doctor, TableIsAligned) {
  EXPECT_EQ(diagnosis_text(sample(Mark::kFail), 80, false),
            "A\n"
            "  ✓ one     fine\n"
            "\n"
            "B\n"
            "  ✗ longer  so so\n"
            "            → do it\n"
            "\n"
            "Native sandboxes do not work here: 1 to put right, marked ✗.\n");
}

TEST(Doctor, ColoursOnlyWhenAsked) {
  EXPECT_EQ(diagnosis_text(sample(Mark::kWarn), 80, false).find('\x1b'), std::string::npos);
  EXPECT_NE(diagnosis_text(sample(Mark::kWarn), 80, true).find("\x1b[33m!"), std::string::npos);
}

TEST(Doctor, SpeaksJson) {
  EXPECT_EQ(
      diagnosis_json(sample(Mark::kWarn), false),
      "{\"native_works\":true,\"checks\":["
      "{\"group\":\"A\",\"name\":\"one\",\"status\":\"ok\",\"detail\":\"fine\",\"advice\":null},"
      "{\"group\":\"B\",\"name\":\"longer\",\"status\":\"warning\",\"detail\":\"so "
      "so\",\"advice\":\"do it\"}]}\n");
}

TEST(Doctor, ChildrenReportTheirErrno) {
  EXPECT_EQ(errno_in_child(0, [] { return 0; }), 0);
  EXPECT_EQ(errno_in_child(0, [] { return ENOSYS; }), ENOSYS);
  EXPECT_EQ(errno_in_child(0, []() -> int { __builtin_trap(); }), EFAULT);
}

TEST(Doctor, RepeatsTheBackendsComplaint) {
  Diagnosis diagnosis =
      examine_host(fail(Code::kHostUnsupported, "no good"), {.shared = "/nonexistent"});
  EXPECT_FALSE(diagnosis.works());
  EXPECT_NE(diagnosis_text(diagnosis, 80, false).find("host_unsupported: no good"),
            std::string::npos);
}

}  // namespace
}  // namespace atl::cli
