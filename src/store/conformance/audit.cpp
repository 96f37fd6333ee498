// Who did what: added once, read by tenant and newest first, and gone when it is old.
#include <tuple>

#include "codec/json.hpp"
#include "codec/sha256.hpp"
#include "store/conformance/harness.hpp"

namespace atl::store {
namespace {

using model::AuditAction;

// A new member does not compile until it is compared here.
auto members(const AuditRow& row) {
  const auto& [tenant, id, time, key_id, action, outcome, session_id, execution_id, trace_id,
               request_id, detail, result, chain, seq, hash] = row;
  // The last three are the store's.
  (void)chain, (void)seq, (void)hash;
  return std::tuple(tenant, id, time, key_id, action, outcome, session_id, execution_id, trace_id,
                    request_id, detail, result);
}

class AuditCase : public StoreCase {
 protected:
  // `number` tells the rows of one millisecond apart.
  AuditRow row_at(std::int64_t ms, int number = 0) {
    std::string id = first_id_at(static_cast<std::uint64_t>(ms));
    std::string tail = std::to_string(number);
    id.replace(id.size() - tail.size(), tail.size(), tail);
    return {.tenant = "t", .id = id, .time = at(ms), .action = AuditAction::kSessionCreated};
  }
  std::vector<std::int64_t> times(AuditFilter filter, Page page = {}) {
    std::vector<std::int64_t> found;
    for (const AuditRow& row : must(wait(store().audit(std::move(filter), std::move(page))))) {
      found.push_back(row.time.time_since_epoch().count());
    }
    return found;
  }
};

using Times = std::vector<std::int64_t>;

TEST_F(AuditCase, ARowComesBackAndIsAddedOnce) {
  AuditRow row{.tenant = "Zoë's",
               .id = make_sortable_id(),
               .time = at(5),
               .key_id = "k",
               .action = AuditAction::kExecutionRefused,
               .outcome = "dangerous_command",
               .session_id = SessionId::make(),
               .execution_id = ExecutionId::make(),
               .trace_id = "trace",
               .request_id = "request",
               .detail = "rm",
               .result = R"({"exit_code":1})"};
  must(write(AddAudit{row}));
  AuditRow changed = row;
  changed.outcome = "ok";
  must(write(AddAudit{changed}));
  reopen();
  std::vector<AuditRow> found = must(wait(store().audit({.tenant = "Zoë's"}, {})));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(members(found[0]), members(row));
}

TEST_F(AuditCase, WhatIsNoTextIsKeptAsProse) {
  AuditRow row = row_at(1);
  row.detail = std::string("a\xff\0b", 4);
  must(write(AddAudit{row}));
  EXPECT_EQ(must(wait(store().audit({.tenant = "t"}, {})))[0].detail,
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b");
}

TEST_F(AuditCase, IsWrittenWithItsChangeOrNotAtAll) {
  model::Session session = make_session();
  IdempotencyRow answer{.tenant = "t", .key = "k"};
  must(write(AddIdempotency{answer}));
  EXPECT_EQ(code_of(write(PutSession{session}, AddAudit{row_at(1)}, AddIdempotency{answer})),
            Code::kAlreadyExists);
  EXPECT_EQ(times({.tenant = "t"}), Times());
}

// From the first row that is kept to the head: empty when nothing is wrong.
std::string broken_at(Store& store) {
  for (const model::AuditHead& head : must(wait(store.audit_heads()))) {
    model::ChainCheck check(codec::sha256_hex, head.removed_seq, head.removed_hash);
    for (const AuditRow& row : must(wait(store.audit_chain(head.chain, 0, 10'000)))) {
      std::string wrong = check.take(row, codec::name_of(row.action));
      if (!wrong.empty()) return std::to_string(row.seq.value_or(0)) + " " + wrong;
    }
    if (check.seq() != head.seq || check.hash() != head.hash) return "head";
  }
  return "";
}

TEST_F(AuditCase, RowsAreOneChain) {
  for (std::int64_t ms = 1; ms <= 5; ++ms) must(write(AddAudit{row_at(ms)}));
  must(write(AddAudit{row_at(3)}));  // the same again adds nothing
  reopen();
  must(write(AddAudit{row_at(6)}, AddAudit{row_at(7)}));
  EXPECT_EQ(broken_at(store()), "");
  std::vector<model::AuditHead> heads = must(wait(store().audit_heads()));
  ASSERT_EQ(heads.size(), 1u);
  EXPECT_EQ(heads[0].seq, 7);
  EXPECT_EQ(must(wait(store().audit_chain(heads[0].chain, 5, 1)))[0].seq, 6);
}

TEST_F(AuditCase, AWriteThatIsRefusedLeavesTheChainAsItWas) {
  must(write(AddAudit{row_at(1)}));
  IdempotencyRow answer{.tenant = "t", .key = "k"};
  must(write(AddIdempotency{answer}));
  EXPECT_EQ(code_of(write(AddAudit{row_at(2)}, AddIdempotency{answer})), Code::kAlreadyExists);
  must(write(AddAudit{row_at(3)}));
  EXPECT_EQ(broken_at(store()), "");
  EXPECT_EQ(must(wait(store().audit_heads()))[0].seq, 2);
}

TEST_F(AuditCase, TheChainIsStillWholeWhenOldRowsAreGone) {
  for (std::int64_t ms : {1, 2, 9, 3, 10}) must(write(AddAudit{row_at(ms)}));
  must(wait(store().remove_old({.audit_before = at(5)})));
  EXPECT_EQ(broken_at(store()), "");
  EXPECT_EQ(must(wait(store().audit_heads()))[0].removed_seq, 2);
  must(write(AddAudit{row_at(11)}));
  EXPECT_EQ(broken_at(store()), "");
}

TEST_F(AuditCase, EveryChangeOfARowIsFound) {
  struct {
    const char* sql;
    const char* where;
  } tries[] = {{"UPDATE audit SET detail = 'other' WHERE seq = 3", "3"},
               {"UPDATE audit SET outcome = 'ok ' WHERE seq = 3", "3"},
               {"UPDATE audit SET time = time + 1 WHERE seq = 3", "3"},
               {"DELETE FROM audit WHERE seq = 3", "4"},
               {"DELETE FROM audit WHERE seq = 5", "head"},
               {"UPDATE audit SET seq = 99 WHERE seq = 3", "4"}};
  for (const auto& one : tries) {
    for (std::int64_t ms = 1; ms <= 5; ++ms) must(write(AddAudit{row_at(ms)}));
    ASSERT_EQ(broken_at(store()), "");
    {
      auto db = must(tested_database().connect(url_, folder_.path()));
      must(db->run(one.sql, {}));
    }
    EXPECT_TRUE(broken_at(store()).starts_with(one.where)) << one.sql << broken_at(store());
    auto db = must(tested_database().connect(url_, folder_.path()));
    must(db->run("DELETE FROM audit", {}));
    must(db->run("DELETE FROM audit_heads", {}));
  }
}

TEST_F(AuditCase, PagesNewestFirst) {
  for (std::int64_t ms : {3, 1, 2}) must(write(AddAudit{row_at(ms)}));
  EXPECT_EQ(times({.tenant = "t"}), (Times{3, 2, 1}));
  EXPECT_EQ(times({.tenant = "t"}, {.limit = 2}), (Times{3, 2}));
  EXPECT_EQ(times({.tenant = "t"}, {.after = row_at(2).id, .limit = 2}), (Times{1}));
  EXPECT_EQ(times({.tenant = "u"}), Times());
  EXPECT_EQ(times({.tenant = std::string("\0", 1)}), Times());
}

TEST_F(AuditCase, Filters) {
  SessionId session(first_id_at(1));
  for (std::int64_t ms = 1; ms <= 6; ++ms) {
    AuditRow row = row_at(ms);
    if (ms % 2 == 0) row.session_id = session;
    if (ms % 3 == 0) row.key_id = "k";
    if (ms > 4) row.action = AuditAction::kKeyRevoked;
    must(write(AddAudit{row}));
  }
  EXPECT_EQ(times({.tenant = "t", .session_id = session}), (Times{6, 4, 2}));
  EXPECT_EQ(times({.tenant = "u", .session_id = session}), Times());
  EXPECT_EQ(times({.tenant = "t", .key_id = "k"}), (Times{6, 3}));
  EXPECT_EQ(times({.tenant = "t", .action = AuditAction::kKeyRevoked}), (Times{6, 5}));
  EXPECT_EQ(times({.tenant = "t", .action = AuditAction::kSessionCreated}), (Times{4, 3, 2, 1}));
  EXPECT_EQ(times({.tenant = "t", .since = at(3), .until = at(5)}), (Times{4, 3}));
  EXPECT_EQ(times({.tenant = "t", .since = at(-1), .until = at(-1)}), Times());
  EXPECT_EQ(times({.tenant = "t",
                   .action = AuditAction::kKeyRevoked,
                   .session_id = session,
                   .key_id = "k",
                   .since = at(6)},
                  {.limit = 1}),
            (Times{6}));
}

TEST_F(AuditCase, ASearchGoesThroughThemAll) {
  std::vector<Change> changes;
  for (int number = 0; number < 4500; ++number) {
    AuditRow row = row_at(9, number);
    if (number % 1500 == 0) row.key_id = "rare";
    changes.emplace_back(AddAudit{row});
  }
  must(wait(store().write(std::move(changes))));
  EXPECT_EQ(times({.tenant = "t", .key_id = "rare"}), (Times{9, 9, 9}));
  EXPECT_EQ(times({.tenant = "t", .key_id = "rare"}, {.limit = 2}), (Times{9, 9}));
  EXPECT_EQ(times({.tenant = "t", .key_id = "none"}), Times());
}

TEST_F(AuditCase, OldRowsGoOfEveryTenant) {
  // In the order of time, as it is in a chain: an old row behind a young one stays as long as that.
  std::vector<Change> changes;
  for (int number = 0; number < 150; ++number) {
    for (const char* tenant : {"a", "b"}) {
      AuditRow row = row_at(9, number);
      row.tenant = tenant;
      changes.emplace_back(AddAudit{row});
    }
  }
  for (const char* tenant : {"a", "b"}) {
    AuditRow young = row_at(10);
    young.tenant = tenant;
    changes.emplace_back(AddAudit{young});
  }
  must(wait(store().write(std::move(changes))));
  EXPECT_EQ(must(wait(store().remove_old({.audit_before = at(10)}))), 300u);
  EXPECT_EQ(times({.tenant = "a"}), (Times{10}));
  EXPECT_EQ(times({.tenant = "b"}), (Times{10}));
  EXPECT_EQ(must(wait(store().remove_old({.audit_before = at(10)}))), 0u);
}

}  // namespace
}  // namespace atl::store
