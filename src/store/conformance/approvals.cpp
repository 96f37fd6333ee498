// Approvals: every member comes back, what would run is encrypted, and they go with their session.
#include <tuple>

#include "store/conformance/harness.hpp"

namespace atl::store {
namespace {

using model::ApprovalState;

constexpr const char* kRequest = R"x({"code":"print(1) never in clear"})x";

// A new member does not compile until it is compared here.
auto members(const model::ApprovalInfo& row) {
  const auto& [id, session_id, tenant, key_id, state, level, findings, shown, hash, ends, created,
               expires, decided, by, reason, remembered] = row;
  return std::tuple(id, session_id, tenant, key_id, state, level, findings, shown, hash, ends,
                    created, expires, decided, by, reason, remembered);
}

model::Approval make_approval(const model::Session& session) {
  model::Approval row;
  row.id = ExecutionId::make();
  row.session_id = session.id;
  row.tenant = session.tenant;
  row.key_id = "asker";
  row.level = "critical";
  row.findings_json = R"([{"rule":"eval"}])";
  row.shown_json = R"({"code":"eval"})";
  row.content_hash = "0123";
  row.ends_session = true;
  row.created_at = at(1000);
  row.expires_at = at(301'000);
  row.request_json = kRequest;
  return row;
}

class Approvals : public StoreCase {
 protected:
  std::string stored_request(const ExecutionId& id) {
    std::string bytes;
    auto db = must(tested_database().connect(url_, folder_.path()));
    std::vector<Value> values{id.str()};
    must(db->run("SELECT request FROM approvals WHERE id = $1", std::span<const Value>(values),
                 [&](const Row& row) -> Result<void> {
                   bytes = row.text(0);
                   return {};
                 }));
    return bytes;
  }
};

TEST_F(Approvals, ComeBackAsTheyWere) {
  model::Session session = make_session();
  model::Approval row = make_approval(session);
  must(write(PutSession{session}, PutApproval{row}));
  reopen();
  model::Approval read = must(wait(store().approval(row.id)));
  EXPECT_EQ(members(read), members(row));
  EXPECT_EQ(read.request_json, kRequest);
  row.state = ApprovalState::kApproved;
  row.decided_at = at(2000);
  row.decided_by = "boss";
  row.reason = "fine by me";
  row.remembered_until = at(602'000);
  row.request_json.reset();
  must(write(PutApproval{row}));
  read = must(wait(store().approval(row.id)));
  EXPECT_EQ(members(read), members(row));
  EXPECT_FALSE(read.request_json);
  EXPECT_EQ(code_of(wait(store().approval(ExecutionId("none")))), Code::kNotFound);
}

TEST_F(Approvals, WhatWouldRunIsEncrypted) {
  model::Session session = make_session();
  model::Approval row = make_approval(session);
  must(write(PutSession{session}, PutApproval{row}));
  close();
  std::string stored = stored_request(row.id);
  EXPECT_FALSE(stored.empty());
  EXPECT_EQ(stored.find("never in clear"), stored.npos);
  StoreOptions renewed = options();
  renewed.renew_storage_key = true;
  wait(must(wait(open_store(renewed)))->close());
  EXPECT_NE(stored_request(row.id), stored);
  open();
  EXPECT_EQ(must(wait(store().approval(row.id))).request_json, kRequest);
}

TEST_F(Approvals, AreListedByTenantStateAndSession) {
  model::Session one = make_session("a");
  model::Session other = make_session("b");
  model::Approval first = make_approval(one);
  model::Approval second = make_approval(one);
  model::Approval foreign = make_approval(other);
  second.state = ApprovalState::kExpired;
  must(write(PutSession{one}, PutSession{other}, PutApproval{first}, PutApproval{second},
             PutApproval{foreign}));
  auto count = [&](model::ApprovalFilter filter, Page page = {}) {
    return must(wait(store().approvals(std::move(filter), std::move(page)))).size();
  };
  EXPECT_EQ(count({}), 3u);
  EXPECT_EQ(count({.tenant = "a"}), 2u);
  EXPECT_EQ(count({.tenant = "a", .state = ApprovalState::kWaiting}), 1u);
  EXPECT_EQ(count({.session_id = other.id}), 1u);
  auto newest = must(wait(store().approvals({.tenant = "a"}, {.limit = 1})));
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(newest[0].id, second.id);
  EXPECT_EQ(count({.tenant = "a"}, {.after = second.id.str()}), 1u);
}

TEST_F(Approvals, GoWithTheirSession) {
  model::Session session = make_session();
  session.ended_at = at(1000);
  model::Approval row = make_approval(session);
  must(write(PutSession{session}, PutApproval{row}));
  EXPECT_EQ(must(wait(store().remove_old({.sessions_ended_before = at(2000)}))), 2u);
  EXPECT_EQ(code_of(wait(store().approval(row.id))), Code::kNotFound);
}

}  // namespace
}  // namespace atl::store
