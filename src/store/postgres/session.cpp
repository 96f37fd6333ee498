#include "store/postgres/session.hpp"

#include <array>
#include <charconv>
#include <vector>

#include "store/postgres/errors.hpp"

namespace atl::store::postgres {
namespace {

constexpr std::size_t kMaxStatements = 128;

// Answers are binary: bytes come as they are, numbers in network order.
class PostgresRow final : public Row {
 public:
  PostgresRow(const Libpq& pq, const PGresult* result) : pq_(pq), result_(result) {}
  void go_to(int row) { row_ = row; }

  bool is_null(int column) const override { return pq_.is_null(result_, row_, column) != 0; }
  std::int64_t integer(int column) const override {
    std::uint64_t number = 0;
    std::string_view bytes = text(column);
    for (char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    if (bytes.size() == 4) return static_cast<std::int32_t>(number);
    return static_cast<std::int64_t>(number);
  }
  std::string_view text(int column) const override {
    return {pq_.value(result_, row_, column),
            static_cast<std::size_t>(pq_.length(result_, row_, column))};
  }

 private:
  const Libpq& pq_;
  const PGresult* result_;
  int row_ = 0;
};

// What libpq wants of the parameters: pointers, lengths of the binary ones, which those are.
class Parameters {
 public:
  explicit Parameters(std::span<const Value> values) {
    numbers_.reserve(values.size());
    for (const Value& value : values) std::visit([this](const auto& one) { add(one); }, value);
  }
  int count() const { return static_cast<int>(pointers_.size()); }
  const char* const* pointers() const { return pointers_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  void push(const char* data, std::size_t size, int format) {
    pointers_.push_back(data);
    lengths_.push_back(static_cast<int>(size));
    formats_.push_back(format);
  }
  void add(std::monostate /*null*/) { push(nullptr, 0, 0); }
  void add(std::int64_t number) {
    numbers_.push_back(std::to_string(number));  // reserved: the text stays where it is
    push(numbers_.back().c_str(), 0, 0);
  }
  // Binary, because a view has no end mark.
  void add(std::string_view text) { push(text.empty() ? "" : text.data(), text.size(), 1); }
  void add(const std::string& text) { push(text.data(), text.size(), 1); }
  void add(Bytes bytes) { add(bytes.view); }

  std::vector<std::string> numbers_;
  std::vector<const char*> pointers_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

}  // namespace

Result<Session> Session::open(const Libpq& pq, const std::string& url) {
  // What the URL says wins over what stands before it. A server that vanished without a word is
  // found out within seconds.
  std::array keys = {"connect_timeout",  "keepalives_idle",  "keepalives_interval",
                     "keepalives_count", "tcp_user_timeout", "application_name",
                     "dbname",           "client_encoding",  static_cast<const char*>(nullptr)};
  std::array values = {"5",         "10",    "5",
                       "3",         "20000", "atoll",
                       url.c_str(), "UTF8",  static_cast<const char*>(nullptr)};
  Session session(pq, pq.connect(keys.data(), values.data(), 1));
  if (pq.status(session.connection_.get()) != CONNECTION_OK) {
    std::string said = pq.connection_error(session.connection_.get());
    // It quotes a URL that it cannot read, and with it the password.
    if (said.find("://") != std::string::npos) said = "the URL is malformed";
    while (said.ends_with('\n')) said.pop_back();
    return fail(Code::kNoAvailableRuntime, "no connection to PostgreSQL: " + said);
  }
  // The server, too, finds out within seconds that we are gone, and lets go of our locks.
  ATOLL_CHECK(
      session.run_plain("SET client_min_messages = error; SET lock_timeout = '10s'; SET "
                        "statement_timeout = '60s'; SET tcp_keepalives_idle = 10; "
                        "SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"));
  // An answer means that it is on the disk, whatever the server's configuration says.
  ATOLL_CHECK(
      session.run_plain("SELECT set_config('synchronous_commit', 'on', false) "
                        "WHERE current_setting('synchronous_commit') = 'off'"));
  return session;
}

Result<std::uint64_t> Session::run(const std::string& sql, std::span<const Value> values,
                                   const OnRow& on_row) {
  ATOLL_TRY(std::string name, prepared(sql));
  Parameters parameters(values);
  Answer answer =
      own(pq_->exec_prepared(connection_.get(), name.c_str(), parameters.count(),
                             parameters.pointers(), parameters.lengths(), parameters.formats(), 1));
  ATOLL_CHECK(check(answer));
  return take(answer, on_row);
}

Result<std::string> Session::run_plain(const std::string& sql) {
  Answer answer = own(pq_->exec(connection_.get(), sql.c_str()));
  ATOLL_CHECK(check(answer));
  if (pq_->row_count(answer.get()) == 0) return std::string();
  return std::string(pq_->value(answer.get(), 0, 0));
}

Result<void> Session::check(const Answer& answer) {
  ExecStatusType status = pq_->result_status(answer.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return {};
  const char* field = pq_->error_field(answer.get(), PG_DIAG_SQLSTATE);
  std::string_view sqlstate = field != nullptr ? field : "";
  if (means_lost(sqlstate) || pq_->status(connection_.get()) != CONNECTION_OK) {
    lost_ = true;
    sqlstate = "";
  }
  return fail_sqlstate(sqlstate);
}

Result<std::string> Session::prepared(const std::string& sql) {
  auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  if (statements_.size() >= kMaxStatements) {
    ATOLL_CHECK(run_plain("DEALLOCATE ALL"));
    statements_.clear();
  }
  std::string name = "s" + std::to_string(statements_.size());
  Answer answer = own(pq_->prepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr));
  ATOLL_CHECK(check(answer));
  statements_.emplace(sql, name);
  return name;
}

Result<std::uint64_t> Session::take(const Answer& answer, const OnRow& on_row) const {
  if (pq_->result_status(answer.get()) == PGRES_COMMAND_OK) {
    std::uint64_t changed = 0;
    std::string_view text = pq_->changed_rows(answer.get());
    std::from_chars(text.data(), text.data() + text.size(), changed);
    return changed;
  }
  int count = pq_->row_count(answer.get());
  PostgresRow row(*pq_, answer.get());
  for (int i = 0; on_row && i < count; ++i) {
    row.go_to(i);
    ATOLL_CHECK(on_row(row));
  }
  return static_cast<std::uint64_t>(count);
}

}  // namespace atl::store::postgres
