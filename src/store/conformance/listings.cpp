// Pages, newest first, and filters.
#include "store/conformance/harness.hpp"

namespace atl::store {
namespace {

using model::ExecutionState;
using model::SessionState;

class Listings : public StoreCase {
 protected:
  std::vector<std::string> ids(SessionFilter filter, Page page = {}) {
    std::vector<std::string> found;
    for (const model::Session& row : must(wait(store().sessions(filter, page)))) {
      found.push_back(row.id.str());
    }
    return found;
  }
  std::vector<std::string> ids(ExecutionFilter filter, Page page = {}) {
    std::vector<std::string> found;
    for (const model::Execution& row : must(wait(store().executions(filter, page)))) {
      found.push_back(row.id.str());
    }
    return found;
  }
  model::Session add(std::string tenant, SessionState state,
                     std::map<std::string, std::string> labels) {
    model::Session row = make_session(std::move(tenant));
    row.state = state;
    row.labels = std::move(labels);
    must(write(PutSession{row}));
    return row;
  }
};

using Ids = std::vector<std::string>;

TEST_F(Listings, PagesOfSessions) {
  Ids expected;
  for (int i = 0; i < 25; ++i) {
    expected.insert(expected.begin(), add("t", SessionState::kReady, {}).id.str());
  }
  Ids seen;
  Page page{.limit = 10};
  for (int pages = 0; pages < 4; ++pages) {
    Ids some = ids(SessionFilter{.tenant = "t"}, page);
    EXPECT_LE(some.size(), 10u);
    seen.insert(seen.end(), some.begin(), some.end());
    if (some.empty()) break;
    page.after = some.back();
  }
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(ids(SessionFilter{.tenant = "t"}, {.limit = 0}), Ids());
  EXPECT_EQ(ids(SessionFilter{.tenant = "t"}, {.limit = static_cast<std::size_t>(-1)}).size(), 25u);
}

TEST_F(Listings, SessionsByTenantStateAndTemplate) {
  model::Session a = add("a", SessionState::kReady, {});
  model::Session b = add("a", SessionState::kFailed, {});
  model::Session c = add("c", SessionState::kReady, {});
  c.template_id = "node-default";
  must(write(PutSession{c}));
  EXPECT_EQ(ids(SessionFilter{}), (Ids{c.id.str(), b.id.str(), a.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.tenant = "a"}), (Ids{b.id.str(), a.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.states = {SessionState::kReady}}), (Ids{c.id.str(), a.id.str()}));
  EXPECT_EQ(
      ids(SessionFilter{.tenant = "a", .states = {SessionState::kReady, SessionState::kFailed}}),
      (Ids{b.id.str(), a.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.template_id = "node-default"}), (Ids{c.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.tenant = "nobody"}), Ids());
}

TEST_F(Listings, SessionsByKeyOfOneTenant) {
  model::Session a = add("a:b", SessionState::kReady, {});
  model::Session b = add("a_b", SessionState::kReady, {});
  for (model::Session* one : {&a, &b}) {
    one->session_key = "k:1";
    must(write(PutSession{*one}));
  }
  EXPECT_EQ(ids(SessionFilter{.tenant = "a:b", .session_key = "k:1"}), (Ids{a.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.tenant = "a_b", .session_key = "k:1"}), (Ids{b.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.tenant = "a_b", .session_key = "k_1"}), Ids());
}

TEST_F(Listings, SessionsByLabels) {
  model::Session a = add("t", SessionState::kReady, {{"team", "blue"}, {"stage", "test"}});
  model::Session b = add("t", SessionState::kReady, {{"team", "blue"}, {"stage", "live"}});
  model::Session c = add("u", SessionState::kReady, {{"team", "blue"}});
  SessionFilter blue{.tenant = "t", .labels = {{"team", "blue"}}};
  EXPECT_EQ(ids(blue), (Ids{b.id.str(), a.id.str()}));
  EXPECT_EQ(ids(blue, {.limit = 1}), (Ids{b.id.str()}));
  EXPECT_EQ(ids(blue, {.after = b.id.str()}), (Ids{a.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.labels = {{"team", "blue"}, {"stage", "test"}}}), (Ids{a.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.labels = {{"team", "blu"}}}), Ids());
  EXPECT_EQ(ids(SessionFilter{.labels = {{"stage", "blue"}}}), Ids());
  // Labels that change are found by what they are now.
  a.labels = {{"team", "red"}};
  must(write(PutSession{a}));
  EXPECT_EQ(ids(blue), (Ids{b.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.labels = {{"team", "red"}}}), (Ids{a.id.str()}));
  EXPECT_EQ(ids(SessionFilter{.labels = {{"stage", "test"}}}), Ids());
}

TEST_F(Listings, Executions) {
  model::Session session = add("t", SessionState::kReady, {});
  model::Session other = add("t", SessionState::kReady, {});
  model::Execution first = make_execution(session);
  model::Execution second = make_execution(session);
  model::Execution third = make_execution(other);
  second.state = ExecutionState::kRunning;
  third.state = ExecutionState::kQueued;
  first.output.stdout_bytes = "not in listings";
  must(write(PutExecution{first, true}, PutExecution{second}, PutExecution{third}));
  Ids both{second.id.str(), first.id.str()};
  EXPECT_EQ(ids(ExecutionFilter{.session_id = session.id}), both);
  EXPECT_EQ(ids(ExecutionFilter{.session_id = session.id}, {.limit = 1}), (Ids{both[0]}));
  EXPECT_EQ(ids(ExecutionFilter{.session_id = session.id}, {.after = both[0]}), (Ids{both[1]}));
  EXPECT_EQ(ids(ExecutionFilter{.states = {ExecutionState::kQueued, ExecutionState::kRunning}}),
            (Ids{third.id.str(), second.id.str()}));
  for (const model::Execution& row : must(wait(store().executions({}, {})))) {
    EXPECT_EQ(row.output.stdout_bytes, "");
  }
}

TEST_F(Listings, EverythingElse) {
  model::Session session = add("t", SessionState::kReady, {});
  ContextRow one{.id = ContextId::make(), .session_id = session.id};
  ContextRow two{.id = ContextId::make(), .session_id = session.id};
  SnapshotRow mine{.id = make_sortable_id(), .tenant = "t"};
  SnapshotRow theirs{.id = make_sortable_id(), .tenant = "u"};
  must(write(PutTemplate{{.id = "b"}}, PutTemplate{{.id = "a"}}, PutTemplate{{.id = "C"}},
             PutKey{{.id = "k2"}}, PutKey{{.id = "k1"}}, PutContext{two}, PutContext{one},
             PutSnapshot{mine}, PutSnapshot{theirs}));
  Ids templates;
  for (const auto& row : must(wait(store().templates()))) templates.push_back(row.id);
  EXPECT_EQ(templates, (Ids{"C", "a", "b"})) << "byte by byte, whatever the database's locale";
  Ids keys;
  for (const auto& row : must(wait(store().keys()))) keys.push_back(row.id);
  EXPECT_EQ(keys, (Ids{"k1", "k2"}));
  std::vector<ContextRow> contexts = must(wait(store().contexts(session.id)));
  ASSERT_EQ(contexts.size(), 2u);
  EXPECT_EQ(contexts[0].id, one.id);
  EXPECT_EQ(must(wait(store().snapshots(""))).size(), 2u);
  std::vector<SnapshotRow> snapshots = must(wait(store().snapshots("t")));
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_EQ(snapshots[0].id, mine.id);
}

}  // namespace
}  // namespace atl::store
