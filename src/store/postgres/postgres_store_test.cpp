// The conformance suite on a real PostgreSQL, and what happens when it goes away.
#include <chrono>

#include "store/conformance/deed.hpp"
#include "store/conformance/harness.hpp"
#include "store/postgres/commit_thief.hpp"
#include "store/postgres/connection.hpp"
#include "support/postgres_server.hpp"

namespace atl::store {
namespace {

class PostgresDatabase final : public TestedDatabase {
 public:
  std::string fresh_url() override { return server_.new_database(); }
  Result<std::unique_ptr<Connection>> connect(const std::string& url,
                                              const std::string& /*data_folder*/) override {
    return postgres::connect(url);
  }
  test::PostgresServer& server() { return server_; }

 private:
  test::PostgresServer server_;
};

PostgresDatabase& database() {
  static PostgresDatabase database;
  return database;
}

class PostgresStore : public StoreCase {
 protected:
  // Until it works or a minute has gone.
  Result<void> write_until_it_works(const SessionId& id) {
    auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (;;) {
      Result<void> done = wait(store().write(make_deed(id, 4)));
      if (done || std::chrono::steady_clock::now() > until) return done;
      EXPECT_EQ(code_of(done), Code::kNoAvailableRuntime);
    }
  }
};

TEST_F(PostgresStore, GoesAwayAndComesBack) {
  SessionId before = SessionId::make();
  must(wait(store().write(make_deed(before, 4))));
  database().server().stop();
  SessionId meanwhile = SessionId::make();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(code_of(wait(store().write(make_deed(meanwhile, 4)))), Code::kNoAvailableRuntime);
    EXPECT_EQ(code_of(wait(store().session(before))), Code::kNoAvailableRuntime);
    EXPECT_EQ(code_of(wait(store().ping())), Code::kNoAvailableRuntime);
  }
  database().server().start();
  SessionId after = SessionId::make();
  EXPECT_EQ(code_of(write_until_it_works(after)), Code::kOk);
  auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!wait(store().session(before)) && std::chrono::steady_clock::now() < until) {
  }
  EXPECT_EQ(wait(missing_of_deed(&store(), before)), "");
  EXPECT_EQ(wait(missing_of_deed(&store(), after)), "");
  EXPECT_EQ(code_of(wait(store().session(meanwhile))), Code::kNotFound);
}

TEST_F(PostgresStore, ARestartWhileNobodyLookedIsNotNoticed) {
  SessionId before = SessionId::make();
  must(wait(store().write(make_deed(before, 1))));
  EXPECT_EQ(wait(missing_of_deed(&store(), before)), "");
  database().server().stop();
  database().server().start();
  SessionId after = SessionId::make();
  must(wait(store().write(make_deed(after, 1))));
  EXPECT_EQ(wait(missing_of_deed(&store(), after)), "");
  EXPECT_EQ(wait(missing_of_deed(&store(), before)), "");
}

class LostCommit : public StoreCase {
 protected:
  LostCommit() {
    close();
    std::string name = url_.substr(url_.find("@/") + 2);
    url_ = test::PostgresServer::url(name.substr(0, name.find('?')), between_.path());
    open();
  }
  ~LostCommit() override { close(); }

  TempFolder between_;
  postgres::CommitThief thief_{database().server().socket_folder(), between_.path()};
};

using Steal = postgres::CommitThief::Steal;

TEST_F(LostCommit, CommittedIsNotReportedAsUndone) {
  for (int i = 0; i < 3; ++i) {
    thief_.steal_next(Steal::kAnswer);
    SessionId id = SessionId::make();
    // It adds: carried out twice, or taken for undone, it would be refused.
    EXPECT_EQ(code_of(wait(store().write(make_deed(id, 4)))), Code::kOk);
    EXPECT_TRUE(thief_.has_stolen());
    EXPECT_EQ(wait(missing_of_deed(&store(), id)), "");
    EXPECT_EQ(code_of(wait(store().write(make_deed(id, 4)))), Code::kAlreadyExists);
  }
}

TEST_F(LostCommit, UndoneIsNotReportedAsCommitted) {
  for (int i = 0; i < 3; ++i) {
    thief_.steal_next(Steal::kRequest);
    SessionId id = SessionId::make();
    EXPECT_EQ(code_of(wait(store().write(make_deed(id, 4)))), Code::kOk) << "tried again";
    EXPECT_TRUE(thief_.has_stolen());
    EXPECT_EQ(wait(missing_of_deed(&store(), id)), "");
  }
}

TEST(PostgresUrl, NobodyThere) {
  TempFolder folder;
  for (const std::string& url :
       {"postgres://atoll:hunter2@/x?host=" + folder.path(),
        std::string("postgres://atoll:hunter2@127.0.0.1:1/x"),
        std::string("postgres://atoll:hunter2@[127.0.0.1/x"),
        std::string("postgres://atoll:hunter2@127.0.0.1:port/x"),
        std::string("postgres://atoll:hunter2@127.0.0.1/x?no_such_option=1")}) {
    Result<std::unique_ptr<Store>> opened =
        wait(open_store({.url = url, .data_folder = folder.path()}));
    ASSERT_EQ(code_of(opened), Code::kNoAvailableRuntime) << url;
    EXPECT_EQ(opened.error().to_string().find("hunter2"), std::string::npos)
        << opened.error().to_string();
  }
}

}  // namespace

TestedDatabase& tested_database() { return database(); }

}  // namespace atl::store
