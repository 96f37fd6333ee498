// Secrets of tenants, and the sessions that use them.
#include <gtest/gtest.h>

#include "control/test_session_steps.hpp"

namespace atl::control::test {
namespace {

// Allows nothing, so that every backend takes it, and names the secret.
CreateRequest naming(std::string secret) {
  CreateRequest request = lasting(300);
  NetworkRequest network;
  network.policy.secrets.push_back(
      {.env = "TOKEN", .secret = std::move(secret), .hosts = {"a.test"}});
  network.at = "/config/network";
  request.config.network = std::move(network);
  return request;
}

Task<void> in_use(Plane* plane) {
  Secrets& secrets = plane->control->secrets();
  EXPECT_TRUE((co_await secrets.put({}, "token", "value")).has_value());
  SessionId first = co_await create(plane, naming("token"));
  SessionId second = co_await create(plane, naming("token"));
  for (const SessionId& id : {first, second}) {
    EXPECT_EQ((co_await secrets.remove({}, "token")).error().code(), Code::kConflict);
    EXPECT_TRUE((co_await plane->control->session_ender().remove({}, id)).has_value());
  }
  EXPECT_TRUE((co_await secrets.remove({}, "token")).has_value());
  EXPECT_EQ((co_await secrets.get({}, "token")).error().code(), Code::kNotFound);
}

Task<void> of_others(Plane* plane) {
  Caller stranger{.tenant = "another"};
  Secrets& secrets = plane->control->secrets();
  EXPECT_TRUE((co_await secrets.put(stranger, "token", "value")).has_value());
  EXPECT_EQ((co_await secrets.get({}, "token")).error().code(), Code::kNotFound);
  auto made = co_await plane->control->session_maker().create({}, naming("token"));
  EXPECT_EQ(made.error().code(), Code::kInvalidValue);
  EXPECT_EQ((co_await secrets.remove({}, "token")).error().code(), Code::kNotFound);
}

TEST(Secrets, StayWhileASessionUsesThem) { with_steps(&in_use); }
TEST(Secrets, AreNotThereForAnotherTenant) { with_steps(&of_others); }

}  // namespace
}  // namespace atl::control::test
