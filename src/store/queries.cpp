#include "store/queries.hpp"

#include <algorithm>

#include "store/statements.hpp"

namespace atl::store {
namespace {

// " WHERE a = $1 AND b IN ($2, $3)", with the values that belong to it.
class Where {
 public:
  std::string mark(Value value) {
    values.push_back(std::move(value));
    return "$" + std::to_string(values.size());
  }
  void add(const std::string& condition) {
    text += (text.empty() ? " WHERE " : " AND ") + condition;
  }
  template <typename State>
  void add_states(const std::vector<State>& states) {
    if (states.empty()) return;
    std::string marks;
    for (State state : states) marks += (marks.empty() ? "" : ", ") + mark(codec::name_of(state));
    add("state IN (" + marks + ")");
  }
  void add_page(const Page& page, const std::string& id) {
    constexpr std::size_t kMostRows = 10'000;
    if (!page.after.empty()) add(id + " < " + mark(page.after));
    text += " ORDER BY " + id + " DESC LIMIT ";
    text += mark(static_cast<std::int64_t>(std::min(page.limit, kMostRows)));
  }

  std::string join;
  std::string text;
  std::vector<Value> values;
};

// The least id that a row of this time can have.
std::string first_of(Time time) {
  auto ms = std::max<std::int64_t>(time.time_since_epoch().count(), 0);
  return first_id_at(static_cast<std::uint64_t>(ms));
}

template <typename T>
Result<std::vector<T>> rows_of(Connection& db, const Where& where) {
  if (!are_storable(where.values)) return std::vector<T>();
  return read_rows<T>(db, where.join + where.text, where.values);
}

}  // namespace

Result<std::vector<model::Session>> list_sessions(Connection& db, const SessionFilter& filter,
                                                  const Page& page) {
  Where where;
  if (!filter.tenant.empty()) where.add("tenant = " + where.mark(filter.tenant));
  if (!filter.template_id.empty()) where.add("template_id = " + where.mark(filter.template_id));
  if (!filter.session_key.empty()) where.add("session_key = " + where.mark(filter.session_key));
  where.add_states(filter.states);
  std::string id = "id";
  for (const auto& [name, value] : filter.labels) {
    bool is_first = where.join.empty();
    std::string condition = "labelled.name = " + where.mark(name);
    condition += " AND labelled.value = " + where.mark(value);
    if (is_first) {
      // It leads the search: its index is in the order of ids, and has no other rows.
      where.join = " JOIN session_labels AS labelled ON labelled.session_id = sessions.id";
      where.add(condition);
      id = "labelled.session_id";
    } else {
      where.add(
          "EXISTS (SELECT 1 FROM session_labels AS labelled "
          "WHERE labelled.session_id = sessions.id AND " +
          condition + ")");
    }
  }
  where.add_page(page, id);
  return rows_of<model::Session>(db, where);
}

Result<std::vector<model::Execution>> list_executions(Connection& db, const ExecutionFilter& filter,
                                                      const Page& page) {
  Where where;
  if (!filter.session_id.empty()) where.add("session_id = " + where.mark(filter.session_id.str()));
  where.add_states(filter.states);
  // In the words of the index that holds only these: SQLite uses it for nothing else.
  if (!filter.states.empty() &&
      std::ranges::none_of(filter.states,
                           [](model::ExecutionState state) { return model::is_final(state); })) {
    where.add("state IN ('queued', 'awaiting_approval', 'running')");
  }
  where.add_page(page, "id");
  return rows_of<model::Execution>(db, where);
}

Result<std::vector<model::ApprovalInfo>> list_approvals(Connection& db,
                                                        const ApprovalFilter& filter,
                                                        const Page& page) {
  Where where;
  if (!filter.tenant.empty()) where.add("tenant = " + where.mark(filter.tenant));
  if (filter.state) where.add("state = " + where.mark(codec::name_of(*filter.state)));
  if (!filter.session_id.empty()) where.add("session_id = " + where.mark(filter.session_id.str()));
  where.add_page(page, "id");
  return rows_of<model::ApprovalInfo>(db, where);
}

Result<AuditPortion> list_audit(Connection& db, const AuditFilter& filter, const Page& page) {
  constexpr std::int64_t kLooked = 2000;
  constexpr std::uint64_t kHour = 3'600'000;
  Where where;
  where.add("tenant = " + where.mark(filter.tenant));
  if (filter.since) where.add("id >= " + where.mark(first_of(*filter.since)));
  if (filter.until) where.add("id < " + where.mark(first_of(*filter.until)));
  if (!page.after.empty()) where.add("id < " + where.mark(page.after));
  if (filter.session_id.str().size() == first_id_at(0).size()) {
    // Nothing was done with a session before it was made, give or take a clock that was set back.
    std::uint64_t made = id_milliseconds(filter.session_id.str());
    where.add("id >= " + where.mark(first_id_at(made - std::min(made, kHour))));
  }
  AuditPortion portion;
  if (filter.action || !filter.session_id.empty() || !filter.key_id.empty()) {
    Where end = where;
    end.text += " ORDER BY id DESC LIMIT 1 OFFSET " + end.mark(kLooked);
    if (!are_storable(end.values)) return portion;
    ATOLL_CHECK(
        db.run("SELECT id FROM audit" + end.text, end.values, [&](const Row& row) -> Result<void> {
          portion.looked_to = row.text(0);
          return {};
        }));
    if (!portion.looked_to.empty()) where.add("id >= " + where.mark(portion.looked_to));
    if (filter.action) where.add("action = " + where.mark(codec::name_of(*filter.action)));
    if (!filter.key_id.empty()) where.add("key_id = " + where.mark(filter.key_id));
    if (!filter.session_id.empty()) {
      where.add("session_id = " + where.mark(filter.session_id.str()));
    }
  }
  where.add_page({.limit = page.limit}, "id");
  ATOLL_TRY(portion.rows, rows_of<AuditRow>(db, where));
  return portion;
}

Result<FoundOutput> read_output(Connection& db, const ExecutionId& id) {
  FoundOutput found;
  ATOLL_CHECK(
      db.run("SELECT in_file, stdout_bytes, stderr_bytes, merged FROM outputs "
             "WHERE execution_id = $1",
             {id.str()}, [&](const Row& row) -> Result<void> {
               found.in_file = row.integer(0) != 0;
               found.output.stdout_bytes = row.text(1);
               found.output.stderr_bytes = row.text(2);
               found.output.merged = row.text(3);
               return {};
             }));
  return found;
}

Result<std::vector<std::string>> executions_with_files(Connection& db) {
  std::vector<std::string> ids;
  ATOLL_CHECK(db.run("SELECT execution_id FROM outputs WHERE in_file = 1", {},
                     [&](const Row& row) -> Result<void> {
                       ids.emplace_back(row.text(0));
                       return {};
                     }));
  return ids;
}

}  // namespace atl::store
