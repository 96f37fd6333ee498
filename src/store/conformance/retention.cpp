// What is old goes, with all that belongs to it, and nothing else does.
#include "store/conformance/harness.hpp"

namespace atl::store {
namespace {

class RetentionCase : public StoreCase {
 protected:
  model::Session add(std::optional<Time> ended, std::size_t output_size) {
    model::Session session = make_session();
    session.ended_at = ended;
    session.labels = {{"a", "b"}};
    model::Execution execution = make_execution(session);
    execution.output = make_output(output_size, "r");
    must(write(PutSession{session}, PutExecution{execution, true},
               PutContext{{.id = ContextId::make(), .session_id = session.id}}));
    return session;
  }
  std::size_t executions_of(const model::Session& session) {
    return must(wait(store().executions({.session_id = session.id}, {}))).size();
  }
};

TEST_F(RetentionCase, OldSessionsGoWithAllTheyHave) {
  model::Session old = add(at(1000), 100'000);
  model::Session small = add(at(1999), 10);
  model::Session young = add(at(2000), 100'000);
  model::Session living = add({}, 100'000);
  must(write(PutSnapshot{{.id = make_sortable_id(), .session_id = old.id, .tenant = "t"}}));
  EXPECT_EQ(output_files(), 3u);
  EXPECT_EQ(must(wait(store().remove_old({.sessions_ended_before = at(2000)}))), 6u);
  for (const model::Session& gone : {old, small}) {
    EXPECT_EQ(code_of(wait(store().session(gone.id))), Code::kNotFound);
    EXPECT_EQ(executions_of(gone), 0u);
    EXPECT_TRUE(must(wait(store().contexts(gone.id))).empty());
  }
  for (const model::Session& kept : {young, living}) {
    EXPECT_EQ(code_of(wait(store().session(kept.id))), Code::kOk);
    EXPECT_EQ(executions_of(kept), 1u);
    EXPECT_EQ(must(wait(store().contexts(kept.id))).size(), 1u);
  }
  EXPECT_EQ(output_files(), 2u);
  EXPECT_EQ(must(wait(store().sessions({.labels = {{"a", "b"}}}, {}))).size(), 2u);
  EXPECT_EQ(must(wait(store().snapshots("t"))).size(), 1u) << "snapshots outlive their session";
  EXPECT_EQ(must(wait(store().remove_old({.sessions_ended_before = at(2000)}))), 0u);
}

TEST_F(RetentionCase, OldAnswersGo) {
  must(write(PutIdempotency{{.tenant = "t", .key = "old", .created_at = at(10)}},
             PutIdempotency{{.tenant = "t", .key = "new", .created_at = at(20)}},
             PutIdempotency{{.tenant = "u", .key = "old", .created_at = at(20)}}));
  EXPECT_EQ(must(wait(store().remove_old({.idempotency_before = at(20)}))), 1u);
  EXPECT_EQ(code_of(wait(store().idempotency("t", "old"))), Code::kNotFound);
  EXPECT_EQ(code_of(wait(store().idempotency("t", "new"))), Code::kOk);
  EXPECT_EQ(code_of(wait(store().idempotency("u", "old"))), Code::kOk);
}

TEST_F(RetentionCase, MoreThanOnePortion) {
  std::vector<Change> changes;
  for (int i = 0; i < 250; ++i) {
    model::Session session = make_session();
    session.ended_at = at(1);
    changes.emplace_back(PutSession{session});
    changes.emplace_back(PutExecution{make_execution(session)});
    changes.emplace_back(PutIdempotency{{.tenant = "t", .key = session.id.str()}});
  }
  must(wait(store().write(std::move(changes))));
  EXPECT_EQ(
      must(wait(store().remove_old({.sessions_ended_before = at(2), .idempotency_before = at(1)}))),
      750u);
  EXPECT_TRUE(must(wait(store().sessions({}, {}))).empty());
}

}  // namespace
}  // namespace atl::store
