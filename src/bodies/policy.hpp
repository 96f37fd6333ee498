// Bodies about judging code, and about executions that wait for a person.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include "bodies/common.hpp"
#include "model/approval.hpp"

namespace atl::bodies {

struct PolicyCheckBody {
  std::optional<std::string> code;
  std::optional<std::string> language;
};
BOOST_DESCRIBE_STRUCT(PolicyCheckBody, (), (code, language))

struct FindingBody {
  std::string rule;
  std::string level;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::string snippet;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(FindingBody, (), (rule, level, line, column, snippet, message))

// An execution that a person must approve, or had to.
struct ApprovalBody {
  std::string id;  // of the execution
  std::string execution_id;
  std::string session_id;
  model::ApprovalState state = model::ApprovalState::kWaiting;
  std::string level;
  std::vector<FindingBody> findings;
  Nullable<std::string> language;
  Nullable<std::string> code;
  boost::json::value command;  // a string for the shell, a list, or null
  Nullable<std::string> context;
  Nullable<std::string> cwd;
  Nullable<std::string> stdin_;  // NOLINT(readability-identifier-naming): stdin is a macro
  StringMap env;
  bool whole = false;  // nothing of the request is cut off or left out
  Nullable<std::string> asked_by;
  std::string created_at;
  std::string expires_at;
  Nullable<std::string> decided_at;
  Nullable<std::string> decided_by;
  Nullable<std::string> reason;
  Nullable<std::string> remembered_until;
};
BOOST_DESCRIBE_STRUCT(ApprovalBody, (),
                      (id, execution_id, session_id, state, level, findings, language, code,
                       command, context, cwd, stdin_, env, whole, asked_by, created_at, expires_at,
                       decided_at, decided_by, reason, remembered_until))

struct ApprovalListBody {
  std::vector<ApprovalBody> approvals;
  Nullable<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(ApprovalListBody, (), (approvals, next_cursor))

struct DecideApprovalBody {
  std::optional<std::string> decision;  // approve, reject
  std::optional<std::string> reason;
  std::optional<std::uint64_t> remember_seconds;
};
BOOST_DESCRIBE_STRUCT(DecideApprovalBody, (), (decision, reason, remember_seconds))

}  // namespace atl::bodies
