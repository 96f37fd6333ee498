#include "model/audit_chain.hpp"

#include "base/ids.hpp"

namespace atl::model {

std::string chained_text(const AuditRow& row, std::string_view action) {
  std::string text;
  auto add = [&text](std::string_view member) {
    text += std::to_string(member.size());
    text += ':';
    text += member;
  };
  add(row.chain);
  add(std::to_string(row.seq.value_or(0)));
  add(row.tenant);
  add(row.id);
  add(row.key_id);
  add(action);
  add(row.outcome);
  add(row.session_id.str());
  add(row.execution_id.str());
  add(row.trace_id);
  add(row.request_id);
  add(row.detail);
  add(row.result);
  return text;
}

std::string ChainCheck::take(const AuditRow& row, std::string_view action) {
  std::int64_t seq = row.seq.value_or(0);
  if (seq != seq_ + 1) {
    return "row " + std::to_string(seq_ + 1) + " is missing, or rows changed their places";
  }
  if (row.time.time_since_epoch().count() != static_cast<std::int64_t>(id_milliseconds(row.id))) {
    return "its time is not that of its id";
  }
  std::string hash = hash_(last_ + chained_text(row, action));
  if (hash != row.hash) return "its hash does not fit: the row, or one before it, was changed";
  seq_ = seq;
  last_ = std::move(hash);
  return {};
}

}  // namespace atl::model
