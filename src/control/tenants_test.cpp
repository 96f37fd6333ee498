// Quotas of tenants, on the fake backend: each is kept to the last one, also by many at once.
#include "control/tenants.hpp"

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/event.hpp"
#include "async/task_group.hpp"
#include "base/quota.hpp"
#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;

const Caller kAcme{.tenant = "acme", .role = model::Role::kUser};

Task<void> set(Plane* plane, model::TenantQuotas quotas) {
  auto done = co_await plane->control->tenants().put({}, "acme", quotas);
  EXPECT_TRUE(done.has_value()) << done.error().to_string();
}

struct Counts {
  int made = 0;
  int refused = 0;
  int other = 0;
  int all() const { return made + refused + other; }
};

Task<void> create(Plane* plane, Counts* counts, async::Event* changed) {
  auto made = co_await plane->control->session_maker().create(
      kAcme, {.template_id = "shell-default", .wait = std::chrono::seconds(60)});
  if (made) {
    ++counts->made;
  } else if (quota_of(made.error()) == "sessions") {
    ++counts->refused;
  } else {
    ++counts->other;
  }
  changed->notify_all();
}

Task<void> many_at_once(Plane* plane) {
  co_await set(plane, {.sessions = 7});
  Counts counts;
  async::Event changed;
  async::TaskGroup group(plane->executor);
  for (int i = 0; i < 100; ++i) group.spawn(create(plane, &counts, &changed));
  while (counts.all() < 100) co_await changed.wait();
  co_await group.join();
  EXPECT_EQ(counts.made, 7);
  EXPECT_EQ(counts.refused, 93);
  auto view = co_await plane->control->tenants().get(kAcme, "acme");
  EXPECT_EQ(view->use.sessions, 7u);
  // One that goes makes room for one.
  auto rows = co_await plane->control->sessions().list(kAcme, {}, {});
  auto gone = co_await plane->control->session_ender().remove(kAcme, rows->front().id);
  EXPECT_TRUE(gone.has_value());
  counts = {};
  for (int i = 0; i < 2; ++i) co_await create(plane, &counts, &changed);
  EXPECT_EQ(counts.made, 1);
  Caller stranger{.tenant = "other"};
  auto free =
      co_await plane->control->session_maker().create(stranger, {.template_id = "shell-default"});
  EXPECT_TRUE(free.has_value());
}

Task<std::string> beyond(Plane* plane, CreateRequest request) {
  auto made = co_await plane->control->session_maker().create(kAcme, std::move(request));
  co_return made ? "" : std::string(quota_of(made.error()));
}

Task<void> sizes(Plane* plane) {
  CreateRequest request{.template_id = "shell-default"};
  request.config.resources.memory = 300;
  request.config.resources.cpu = 0.25;
  co_await set(plane, {.cpu = 0.5, .memory_mb = 1000});
  EXPECT_EQ(co_await beyond(plane, request), "");
  EXPECT_EQ(co_await beyond(plane, request), "");
  EXPECT_EQ(co_await beyond(plane, request), "cpu");
  co_await set(plane, {.memory_mb = 800});
  EXPECT_EQ(co_await beyond(plane, request), "memory_mb");
  co_await set(plane, {.disk_mb = 1});
  EXPECT_EQ(co_await beyond(plane, request), "disk_mb");
}

Task<void> until_idle(Plane* plane) {
  for (;;) {
    auto view = co_await plane->control->tenants().get(kAcme, "acme");
    if (view->use.executions == 0) co_return;
    co_await async::yield_now();
  }
}

Task<void> executions(Plane* plane) {
  co_await set(plane, {.executions = 1, .executions_per_day = 3});
  SessionId id = co_await make_session(plane, kAcme);
  Executions& all = plane->control->executions();
  ExecuteRequest waits{.shell_command = "read line", .stdin_open = true};
  auto first = co_await all.begin(kAcme, id, waits);
  EXPECT_TRUE(first.has_value());
  auto second = co_await all.begin(kAcme, id, waits);
  EXPECT_EQ(quota_of(second.error()), "executions");
  EXPECT_TRUE((co_await all.write_stdin(kAcme, *first, "x\n", true)).has_value());
  co_await until_idle(plane);
  ExecuteRequest quick{.shell_command = "true"};
  for (int i = 0; i < 2; ++i) {
    auto ran = co_await all.execute(kAcme, id, quick, async::deadline_in(std::chrono::seconds(60)));
    EXPECT_TRUE(ran.has_value()) << ran.error().to_string();
    co_await until_idle(plane);
  }
  auto refused = co_await all.begin(kAcme, id, quick);
  EXPECT_EQ(quota_of(refused.error()), "executions_per_day");
  EXPECT_GE(retry_after(refused.error()).count(), 1);
  EXPECT_LE(retry_after(refused.error()).count(), 24 * 3600);
}

Task<void> requests(Plane* plane) {
  co_await set(plane, {.requests_per_second = 2});
  Tenants& tenants = plane->control->tenants();
  int passed = 0;
  for (int i = 0; i < 10; ++i) passed += tenants.take_request("acme") ? 1 : 0;
  EXPECT_EQ(passed, 2);
  plane->clock->advance(std::chrono::milliseconds(500));
  EXPECT_TRUE(tenants.take_request("acme").has_value());
  EXPECT_EQ(quota_of(tenants.take_request("acme").error()), "requests_per_second");
  EXPECT_TRUE(tenants.take_request("other").has_value());
}

Task<void> rights(Plane* plane) {
  Tenants& tenants = plane->control->tenants();
  Caller admin{.tenant = "acme", .role = model::Role::kAdmin};
  EXPECT_EQ((co_await tenants.put(admin, "acme", {})).error().code(), Code::kForbidden);
  EXPECT_EQ((co_await tenants.put({}, "acme", {.cpu = -1})).error().code(), Code::kInvalidValue);
  EXPECT_EQ((co_await tenants.get(admin, "other")).error().code(), Code::kNotFound);
  EXPECT_TRUE((co_await tenants.get(admin, "acme")).has_value());
  EXPECT_TRUE((co_await tenants.get({}, "other")).has_value());
}

// covers: C65
TEST(Tenants, AQuotaIsNeverExceededByManyAtOnce) { with_control(many_at_once); }
TEST(Tenants, SizesOfSessionsAreCounted) { with_control(sizes); }
TEST(Tenants, ExecutionsAreCountedAtOnceAndADay) { with_control(executions); }
TEST(Tenants, RequestsComeFromABucket) { with_control(requests); }
TEST(Tenants, OnlyOwnersSetQuotas) { with_control(rights); }

}  // namespace
}  // namespace atl::control::test
