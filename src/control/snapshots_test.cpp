// Snapshots from taking to restoring, on the fake backend.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "base/field_error.hpp"
#include "base/quota.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using namespace std::chrono_literals;
using async::Task;
namespace fs = std::filesystem;

std::size_t files_in(const Plane* plane) {
  std::error_code none;
  fs::directory_iterator files(plane->folder + "/data/snapshots", none);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

Task<std::string> run(Plane* plane, SessionId id, std::string command) {
  auto ran = co_await plane->control->executions().execute(
      {}, std::move(id), {.shell_command = std::move(command)}, async::deadline_in(60s));
  EXPECT_TRUE(ran.has_value());
  co_return ran ? ran->value.output.stdout_bytes : "";
}

Task<void> life(Plane* plane) {
  Snapshots& snapshots = plane->control->snapshots();
  SessionId id = co_await make_session(plane);
  (void)co_await run(plane, id, "echo kept > note");
  auto made = co_await snapshots.create({}, id, "before");
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  EXPECT_GT(made->value.size, 0u);
  EXPECT_EQ(files_in(plane), 1u);
  EXPECT_TRUE((co_await plane->control->session_ender().remove({}, id)).has_value());
  // It outlives its session, and control restores it by itself.
  auto later = co_await plane->control->session_maker().create(
      {}, {.template_id = "shell-default", .snapshot_id = made->value.id, .wait = 60s});
  EXPECT_TRUE(later.has_value()) << later.error().to_string();
  EXPECT_EQ(co_await run(plane, later->value.id, "cat note"), "kept\n");
  auto listed = co_await snapshots.list({});
  EXPECT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().name, "before");
  // Other tenants see none of it.
  Caller stranger{.tenant = "other"};
  EXPECT_EQ((co_await snapshots.list(stranger))->size(), 0u);
  EXPECT_EQ((co_await snapshots.get(stranger, made->value.id)).error().code(), Code::kNotFound);
  EXPECT_EQ((co_await snapshots.remove(stranger, made->value.id)).error().code(), Code::kNotFound);
  auto foreign = co_await plane->control->session_maker().create(
      stranger, {.template_id = "shell-default", .snapshot_id = made->value.id});
  EXPECT_EQ(foreign.error().code(), Code::kNotFound);
  EXPECT_EQ(field_of(foreign.error()), "/snapshot_id");
  EXPECT_TRUE((co_await snapshots.remove({}, made->value.id)).has_value());
  EXPECT_EQ(files_in(plane), 0u);
  EXPECT_EQ((co_await snapshots.get({}, made->value.id)).error().code(), Code::kNotFound);
  EXPECT_EQ((co_await snapshots.create({}, id, "")).error().code(), Code::kConflict)
      << "the session has ended";
}

Task<void> repeated(Plane* plane) {
  Control& control = *plane->control;
  SessionId id = co_await make_session(plane);
  IdempotencyKey key{.key = "k", .fingerprint = "f"};
  std::string first;
  for (int i = 0; i < 2; ++i) {
    auto once = co_await control.idempotency().begin({}, key);
    auto made = co_await control.snapshots().create({}, id, "", std::move(*once));
    EXPECT_EQ(made->replayed, i == 1);
    if (i == 0) first = made->value.id;
    EXPECT_EQ(made->value.id, first);
  }
  EXPECT_EQ(files_in(plane), 1u);
  EXPECT_TRUE((co_await control.snapshots().remove({}, first)).has_value());
  auto once = co_await control.idempotency().begin({}, key);
  auto gone = co_await control.snapshots().create({}, id, "", std::move(*once));
  EXPECT_EQ(gone.error().code(), Code::kNotFound);
  EXPECT_EQ(files_in(plane), 0u) << "not taken again";
}

Task<void> limited(Plane* plane) {
  Snapshots& snapshots = plane->control->snapshots();
  SessionId id = co_await make_session(plane);
  auto one = co_await snapshots.create({}, id, "");
  EXPECT_TRUE(one.has_value());
  auto two = co_await snapshots.create({}, id, "");
  EXPECT_EQ(quota_of(two.error()), "snapshots");
  EXPECT_TRUE((co_await snapshots.remove({}, one->value.id)).has_value());
  (void)co_await run(plane, id, "head -c 100000 /dev/urandom > large");
  auto large = co_await snapshots.create({}, id, "");
  EXPECT_EQ(quota_of(large.error()), "snapshot_bytes");
  EXPECT_EQ(files_in(plane), 0u) << "nothing is left of it";
  (void)co_await run(plane, id, "rm large");
  EXPECT_TRUE((co_await snapshots.create({}, id, "")).has_value()) << "its place was given back";
}

bool refuse_snapshots = false;

Task<Result<void>> on_write(const std::vector<store::Change>* changes) {
  for (const store::Change& change : *changes) {
    if (refuse_snapshots && std::holds_alternative<store::PutSnapshot>(change)) {
      co_return fail(Code::kNoAvailableRuntime, "the store is away");
    }
  }
  co_return Result<void>();
}

Task<void> not_stored(Plane* plane) {
  SessionId id = co_await make_session(plane);
  refuse_snapshots = true;
  auto made = co_await plane->control->snapshots().create({}, id, "");
  refuse_snapshots = false;
  EXPECT_EQ(made.error().code(), Code::kNoAvailableRuntime);
  EXPECT_EQ(files_in(plane), 0u);
  EXPECT_TRUE((co_await plane->control->snapshots().create({}, id, "")).has_value());
}

// A crash left them: one unfinished, one that no row names.
void leave_files(const std::string& data) {
  fs::create_directories(data + "/snapshots");
  std::ofstream(data + "/snapshots/0123.part") << "half";
  std::ofstream(data + "/snapshots/4567") << "whole";
}

Task<void> swept(Plane* plane) {
  while (files_in(plane) > 0) co_await async::yield_now();
}

TEST(Snapshots, FromTakingToRemoving) { with_control(life); }
TEST(Snapshots, AreTakenOnceForAKey) { with_control(repeated); }
TEST(Snapshots, OfATenantHaveASum) {
  PlaneWish wish;
  wish.control.quotas.snapshots = {.count = 1, .bytes = 50'000, .files = UINT64_MAX};
  with_control(limited, std::move(wish));
}
TEST(Snapshots, OneThatIsNotStoredLeavesNoFile) {
  with_control(not_stored, {.on_write = &on_write});
}
TEST(Snapshots, FilesWithoutARowGoAtTheStart) { with_control(swept, {.before = &leave_files}); }

}  // namespace
}  // namespace atl::control::test
