// Keys: who may make, see and revoke which, and what a revoked one still opens.
#include <gtest/gtest.h>

#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;
using model::Role;

Caller admin_of(std::string tenant) { return {.tenant = std::move(tenant), .role = Role::kAdmin}; }

Task<NewKey> make(Plane* plane, Caller caller, Keys::Wish wish) {
  auto made = co_await plane->control->keys().create(std::move(caller), std::move(wish));
  EXPECT_TRUE(made.has_value()) << made.error().to_string();
  co_return made ? std::move(*made) : NewKey();
}

Task<Code> check(Plane* plane, std::string secret) {
  auto caller = co_await plane->control->keys().check(std::move(secret));
  co_return caller ? Code::kConflict : caller.error().code();
}

Task<void> shown(Plane* plane) {
  NewKey first = co_await make(plane, {}, {});
  EXPECT_EQ(first.key.role, Role::kOwner) << "the first of a server";
  NewKey second = co_await make(plane, {}, {.tenant = "t"});
  EXPECT_EQ(second.key.role, Role::kUser);
  auto caller = co_await plane->control->keys().check(second.secret);
  EXPECT_TRUE(caller.has_value()) << caller.error().to_string();
  if (!caller) co_return;
  EXPECT_EQ(caller->tenant, "t");
  EXPECT_EQ(caller->role, Role::kUser);
  EXPECT_EQ(caller->key_id, second.key.id);
  EXPECT_EQ(co_await check(plane, second.secret + "x"), Code::kUnauthenticated);
  EXPECT_EQ(co_await check(plane, ""), Code::kUnauthenticated);
}

TEST(Keys, AKeyIsItsTenantAndRole) { with_control(shown); }

Task<void> revoked(Plane* plane) {
  Keys& keys = plane->control->keys();
  NewKey key = co_await make(plane, {}, {.tenant = "t", .role = Role::kUser});
  bool cut = false, other_cut = false;
  Keys::Use use(keys, key.key.id, [&] { cut = true; });
  Keys::Use other(keys, "another", [&] { other_cut = true; });
  EXPECT_EQ((co_await keys.revoke(admin_of("u"), key.key.id)).error().code(), Code::kNotFound);
  EXPECT_FALSE(cut);
  EXPECT_TRUE((co_await keys.revoke(admin_of("t"), key.key.id)).has_value());
  EXPECT_TRUE(cut) << "what it opened is closed";
  EXPECT_FALSE(other_cut);
  EXPECT_EQ(co_await check(plane, key.secret), Code::kUnauthenticated);
  EXPECT_FALSE((co_await keys.check_id(key.key.id)).has_value());
  EXPECT_TRUE(keys.knows(key.secret)) << "it is still not to be passed on";
}

TEST(Keys, ARevokedOneOpensNothing) { with_control(revoked); }

Task<void> limits(Plane* plane) {
  Keys& keys = plane->control->keys();
  NewKey owner = co_await make(plane, {}, {.role = Role::kOwner});
  auto above = co_await keys.create(admin_of("default"), {.role = Role::kOwner});
  EXPECT_EQ(above.error().code(), Code::kForbidden);
  auto beside = co_await keys.create(admin_of("default"), {.tenant = "u"});
  EXPECT_EQ(beside.error().code(), Code::kForbidden);
  EXPECT_EQ((co_await keys.revoke(admin_of("default"), owner.key.id)).error().code(),
            Code::kForbidden);
  NewKey of_t = co_await make(plane, {}, {.tenant = "t"});
  std::vector<model::Key> seen = keys.list(admin_of("t"));
  EXPECT_EQ(seen.size(), 1u);
  if (!seen.empty()) EXPECT_EQ(seen.front().id, of_t.key.id);
}

TEST(Keys, AnAdminManagesItsTenant) { with_control(limits); }

}  // namespace
}  // namespace atl::control::test
