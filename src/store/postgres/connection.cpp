#include "store/postgres/connection.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "observe/log.hpp"
#include "store/postgres/session.hpp"

namespace atl::store::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{2000};
// How long the outcome of a lost commit is asked for.
constexpr milliseconds kPatience{10'000};
constexpr std::int64_t kForgottenAfterMs = std::int64_t{30} * 24 * 3600 * 1000;

std::int64_t now_ms() { return unix_ms(std::chrono::system_clock::now()); }

class PostgresConnection final : public Connection {
 public:
  PostgresConnection(const Libpq& pq, std::string url) : pq_(pq), url_(std::move(url)) {}

  Result<void> connect_now() {
    session_.reset();
    Result<Session> session = Session::open(pq_, url_);
    if (!session) {
      try_again_at_ = steady_clock::now() + pause_;
      pause_ = std::min(pause_ * 2, kLongestPause);
      return fail(std::move(session).error());
    }
    session_.emplace(std::move(*session));
    pause_ = kFirstPause;
    return {};
  }

  Result<void> ready() override {
    if (session_ && !session_->is_lost()) return {};
    lost_ = true;
    if (steady_clock::now() < try_again_at_) return away();
    bool was_told = std::exchange(told_, true);
    Result<void> done = connect_now();
    if (!done && !was_told) log::warn("store_unreachable");
    if (!done) return away();
    if (told_) log::info("store_reachable");
    told_ = false;
    return {};
  }

  Result<std::uint64_t> run(const std::string& sql, std::span<const Value> values,
                            const OnRow& on_row) override {
    if (!session_) return away();
    Result<std::uint64_t> done = session_->run(sql, values, on_row);
    lost_ = session_->is_lost();
    return done;
  }

  Result<void> run_script(const std::string& sql) override {
    if (!session_) return away();
    ATOLL_CHECK(plain(sql));
    return {};
  }

  // A row of our own that every transaction counts up first. It says afterwards whether a commit
  // happened, and whoever asks has to wait for the lost connection's transaction to end.
  // (Transaction ids would not do: after a crash of the server they are given out again.)
  Result<void> prepare_to_write() override {
    ATOLL_CHECK(plain("DELETE FROM writers WHERE seen_at < " +
                      std::to_string(now_ms() - kForgottenAfterMs)));
    // Committed before it is needed: a row that another transaction is inserting is not waited for.
    std::string id = make_sortable_id();
    ATOLL_CHECK(plain("INSERT INTO writers (id, number, seen_at) VALUES ('" + id + "', 0, " +
                      std::to_string(now_ms()) + ")"));
    writer_id_ = std::move(id);
    return {};
  }

  Result<void> begin() override {
    unknown_ = false;
    if (!session_) return away();
    if (writer_id_.empty()) {
      ATOLL_CHECK(plain("BEGIN"));
      return {};
    }
    // An update, unless another server has taken us for long gone.
    std::string number = std::to_string(++number_);
    std::string now = std::to_string(now_ms());
    ATOLL_CHECK(plain(
        "BEGIN; INSERT INTO writers (id, number, seen_at) VALUES ('" + writer_id_ + "', " + number +
        ", " + now + ") ON CONFLICT (id) DO UPDATE SET number = " + number + ", seen_at = " + now));
    return {};
  }

  Result<void> commit() override {
    Result<std::string> done = plain("COMMIT");
    if (done) return {};
    if (!lost_ || writer_id_.empty()) return fail(std::move(done).error());
    return look_up();
  }

  void rollback() override {
    // With the connection the server drops the transaction too.
    if (session_ && !session_->is_lost()) (void)session_->run_plain("ROLLBACK");
  }

  bool was_lost() const override { return lost_; }
  bool is_unknown() const override { return unknown_; }

  std::string spelled(std::string_view name) const override {
    if (name == "text") return "TEXT COLLATE \"C\"";  // ids are compared byte by byte
    if (name == "blob") return "BYTEA";
    if (name == "clustered") return "";
    if (name == "count_version_tables") {
      return "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() "
             "AND tablename = 'schema_version'";
    }
    if (name == "erase_old" || name == "old_erased") return "SELECT 1";  // VACUUM is its own affair
    // lock_schema: one server migrates, the others wait for it, however long it takes.
    return "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; "
           "SELECT pg_advisory_xact_lock(7037876151)";
  }

 private:
  Result<std::string> plain(const std::string& sql) {
    Result<std::string> done = session_->run_plain(sql);
    lost_ = session_->is_lost();
    return done;
  }

  static std::unexpected<Error> away() {
    return fail(Code::kNoAvailableRuntime,
                "the database cannot be reached; it is tried again until it answers");
  }

  // Asks for what became of the transaction until the server says so.
  Result<void> look_up() {
    auto until = steady_clock::now() + kPatience;
    for (milliseconds pause = kFirstPause; steady_clock::now() < until;
         pause = std::min(pause * 2, kLongestPause)) {
      Result<std::string> number = last_committed();
      if (number) {
        lost_ = *number != std::to_string(number_);
        if (lost_) return away();
        return {};
      }
      std::this_thread::sleep_for(pause);
    }
    lost_ = false;
    unknown_ = true;
    log::error("store_commit_unknown");
    return fail(Code::kNoAvailableRuntime,
                "the database went away before it answered: the change may have been saved");
  }

  Result<std::string> last_committed() {
    if (!session_ || session_->is_lost()) {
      ATOLL_CHECK(connect_now());
    }
    // FOR UPDATE: until the transaction that we lost has let go of the row.
    return session_->run_plain("SELECT number FROM writers WHERE id = '" + writer_id_ +
                               "' FOR UPDATE");
  }

  const Libpq& pq_;
  std::string url_;
  std::optional<Session> session_;
  std::string writer_id_;  // empty: no writer, or not yet
  std::uint64_t number_ = 0;
  bool lost_ = false;
  bool unknown_ = false;
  bool told_ = false;
  milliseconds pause_ = kFirstPause;
  steady_clock::time_point try_again_at_{};
};

}  // namespace

Result<std::unique_ptr<Connection>> connect(std::string url) {
  ATOLL_TRY(const Libpq* pq, load_libpq());
  auto connection = std::make_unique<PostgresConnection>(*pq, std::move(url));
  ATOLL_CHECK(connection->connect_now());
  return connection;
}

}  // namespace atl::store::postgres
