// The audit's strict mode and its checkpoints, on the fake backend.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;

bool disk_is_full = false;

Task<Result<void>> full_disk(const std::vector<store::Change>* /*changes*/) {
  if (disk_is_full) co_return fail(Code::kStorageFull, "the disk is full");
  co_return Result<void>();
}

// The marker shows whether it ran all the same.
Task<void> strict(Plane* plane) {
  SessionId id = co_await make_session(plane);
  std::string marker = plane->folder + "/marker";
  ExecuteRequest request{.shell_command = "touch " + marker};
  disk_is_full = true;
  auto refused = co_await plane->control->executions().begin({}, id, request);
  EXPECT_EQ(refused.error().code(), Code::kStorageFull);
  TestRequest test{.code = "touch " + marker, .language = "bash"};
  test.cases = {{.expected = ""}};
  auto untested = co_await plane->control->test_runs().run({}, id, test);
  EXPECT_EQ(untested.error().code(), Code::kStorageFull);
  auto terminal = co_await plane->control->terminals().open({}, id, {.command = "touch " + marker});
  EXPECT_EQ((co_await (*terminal)->start()).error().code(), Code::kStorageFull);
  disk_is_full = false;
  EXPECT_FALSE(std::filesystem::exists(marker));
  auto ran = co_await plane->control->executions().execute(
      {}, id, request, async::deadline_in(std::chrono::seconds(60)));
  EXPECT_TRUE(ran.has_value());
}

Task<void> checkpoints(Plane* plane, std::string file) {
  co_await make_session(plane);
  Audit& audit = plane->control->audit();
  EXPECT_TRUE((co_await audit.write_checkpoint()).has_value());
  auto whole = co_await audit.verify({});
  EXPECT_TRUE(whole.has_value());
  EXPECT_EQ(whole->broken_chain, "");
  std::string last;
  {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) last = line;
  }
  EXPECT_NE(last.find("\"seq\":1,"), std::string::npos) << last;
  // Of a chain whose tail, and head, somebody cut off and linked anew.
  std::ofstream(file) << R"({"chain":"main","seq":9,"hash":"x"})" << "\n";
  auto cut = co_await audit.verify({});
  EXPECT_EQ(cut->broken_chain, "main");
  EXPECT_EQ(cut->broken_seq, 2);
  std::ofstream(file) << R"({"chain":"main","seq":1,"hash":"x"})" << "\n";
  EXPECT_EQ((co_await audit.verify({}))->broken_seq, 1);
  Caller admin{.role = model::Role::kAdmin};
  EXPECT_EQ((co_await audit.verify(admin)).error().code(), Code::kForbidden);
}

// covers: C67
TEST(AuditChain, StrictRunsNothingThatCannotBeRecorded) {
  PlaneWish wish;
  wish.control.audit.strict = true;
  wish.on_write = full_disk;
  with_control(strict, std::move(wish));
}

// covers: C67
TEST(AuditChain, CheckpointsFindATailThatWasCutOff) {
  std::string file = ::testing::TempDir() + "/checkpoint." + std::to_string(::getpid());
  PlaneWish wish;
  wish.control.audit.checkpoints = {.file = file, .interval = std::chrono::hours(1)};
  with_control([file](Plane* plane) { return checkpoints(plane, file); }, std::move(wish));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace atl::control::test
