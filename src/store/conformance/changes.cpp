// A write happens whole or not at all; Add refuses who comes second; Remove removes.
#include "store/conformance/harness.hpp"

namespace atl::store {
namespace {

class Changes : public StoreCase {};

TEST_F(Changes, AddRefusesTheSecond) {
  IdempotencyRow first{.tenant = "t", .key = "once", .fingerprint = "first"};
  IdempotencyRow second{.tenant = "t", .key = "once", .fingerprint = "second"};
  must(write(AddIdempotency{first}));
  model::Session session = make_session();
  EXPECT_EQ(code_of(write(PutSession{session}, AddIdempotency{second})), Code::kAlreadyExists);
  EXPECT_EQ(must(wait(store().idempotency("t", "once"))).fingerprint, "first");
  EXPECT_EQ(code_of(wait(store().session(session.id))), Code::kNotFound);
  second.tenant = "another";
  must(write(AddIdempotency{second}));

  must(write(AddTemplate{{.id = "a", .version = 1}}));
  EXPECT_EQ(code_of(write(AddTemplate{{.id = "a", .version = 2}})), Code::kAlreadyExists);
  EXPECT_EQ(must(wait(store().find_template("a"))).version, 1u);
  // The same twice in one write is the second time, too.
  EXPECT_EQ(code_of(write(AddTemplate{{.id = "b"}}, AddTemplate{{.id = "b"}})),
            Code::kAlreadyExists);
  EXPECT_EQ(code_of(wait(store().find_template("b"))), Code::kNotFound);
}

TEST_F(Changes, RemoveRemoves) {
  model::Session session = make_session();
  ContextRow context{.id = ContextId::make(), .session_id = session.id};
  SnapshotRow snapshot{.id = make_sortable_id(), .tenant = "t"};
  must(write(PutSession{session}, PutContext{context}, PutSnapshot{snapshot},
             PutTemplate{{.id = "a"}}, PutIdempotency{{.tenant = "t", .key = "k"}}));
  must(write(RemoveContext{context.id}, RemoveSnapshot{snapshot.id}, RemoveTemplate{"a"},
             RemoveIdempotency{"t", "k"}));
  EXPECT_TRUE(must(wait(store().contexts(session.id))).empty());
  EXPECT_EQ(code_of(wait(store().snapshot(snapshot.id))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().find_template("a"))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().idempotency("t", "k"))), Code::kNotFound);
  // Again: what is gone is gone.
  must(write(RemoveContext{context.id}, RemoveSnapshot{snapshot.id}, RemoveTemplate{"a"},
             RemoveIdempotency{"t", "k"}));
  must(write(AddIdempotency{{.tenant = "t", .key = "k"}}));
}

TEST_F(Changes, OneBadChangeUndoesAll) {
  model::Session session = make_session();
  model::Session unknown = make_session();
  must(write(PutTemplate{{.id = "a", .version = 1}}));
  Result<void> result = write(PutSession{session}, PutTemplate{{.id = "a", .version = 2}},
                              PutKey{{.id = "k"}}, PutExecution{make_execution(unknown)});
  EXPECT_EQ(code_of(result), Code::kNotFound) << "an execution without its session";
  EXPECT_EQ(code_of(wait(store().session(session.id))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().key("k"))), Code::kNotFound);
  EXPECT_EQ(must(wait(store().find_template("a"))).version, 1u);
  EXPECT_EQ(code_of(write(PutContext{{.id = ContextId::make(), .session_id = unknown.id}})),
            Code::kNotFound);
  must(write(PutSession{session}));
}

TEST_F(Changes, ManyChangesAndNone) {
  must(wait(store().write({})));
  std::vector<Change> changes;
  model::Session session = make_session();
  changes.emplace_back(PutSession{session});
  for (int i = 0; i < 500; ++i) changes.emplace_back(PutExecution{make_execution(session)});
  must(wait(store().write(std::move(changes))));
  EXPECT_EQ(must(wait(store().executions({}, {.limit = 1000}))).size(), 500u);
}

TEST_F(Changes, PingWritesAndClosedStoresRefuse) {
  must(wait(store().ping()));
  must(wait(store().ping()));
  wait(store().close());
  EXPECT_EQ(code_of(wait(store().ping())), Code::kConflict);
  EXPECT_EQ(code_of(write(PutKey{{.id = "k"}})), Code::kConflict);
  EXPECT_EQ(code_of(wait(store().keys())), Code::kConflict);
  open();
  EXPECT_EQ(code_of(wait(store().key("k"))), Code::kNotFound);
}

}  // namespace
}  // namespace atl::store
