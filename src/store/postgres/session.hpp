// One live connection: prepared statements, results, losing it. Internal to postgres/.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "base/result.hpp"
#include "store/connection.hpp"
#include "store/postgres/libpq.hpp"

namespace atl::store::postgres {

struct Clear {
  const Libpq* pq;
  void operator()(PGresult* result) const { pq->clear(result); }
};
using Answer = std::unique_ptr<PGresult, Clear>;

class Session {
 public:
  // The message is for operators: it holds what libpq says.
  static Result<Session> open(const Libpq& pq, const std::string& url);

  Result<std::uint64_t> run(const std::string& sql, std::span<const Value> values,
                            const OnRow& on_row);
  // The one value of a query of plain text, or "".
  Result<std::string> run_plain(const std::string& sql);
  // The connection is of no more use.
  bool is_lost() const { return lost_; }

 private:
  struct Finish {
    const Libpq* pq;
    void operator()(PGconn* connection) const { pq->finish(connection); }
  };
  Session(const Libpq& pq, PGconn* connection) : pq_(&pq), connection_(connection, Finish{&pq}) {}

  Answer own(PGresult* result) const { return Answer(result, Clear{pq_}); }
  // Fails when the answer is an error, and notes when it is the end.
  Result<void> check(const Answer& answer);
  Result<std::string> prepared(const std::string& sql);
  Result<std::uint64_t> take(const Answer& answer, const OnRow& on_row) const;

  const Libpq* pq_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::unordered_map<std::string, std::string> statements_;  // text -> name
  bool lost_ = false;
};

}  // namespace atl::store::postgres
