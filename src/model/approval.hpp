// An execution that a person must approve before it runs. Plain data.
#pragma once

#include <optional>
#include <string>

#include <boost/describe/enum.hpp>

#include "base/ids.hpp"
#include "model/session.hpp"

namespace atl::model {

// kExpired: nobody decided in time. kCancelled: the execution or its session was ended before.
BOOST_DEFINE_ENUM_CLASS(ApprovalState, kWaiting, kApproved, kRejected, kExpired, kCancelled)

// What listings need.
struct ApprovalInfo {
  ExecutionId id;  // of the execution: there is one approval for each at most
  SessionId session_id;
  std::string tenant;
  std::string key_id;  // that asked; empty: nobody had to show one
  ApprovalState state = ApprovalState::kWaiting;
  std::string level;          // of the judgement
  std::string findings_json;  // a list of findings
  std::string shown_json;     // the request as listings of executions show it
  std::string content_hash;   // of all that makes two requests run the same
  bool ends_session = false;  // the session was made for it alone
  Time created_at{};
  Time expires_at{};
  std::optional<Time> decided_at;
  std::string decided_by;  // a key; empty also where none was needed
  std::string reason;
  std::optional<Time> remembered_until;  // the same content runs without being asked for
};

struct Approval : ApprovalInfo {
  // The whole request while it waits, so that a server that was restarted can run it.
  std::optional<std::string> request_json;
};

struct ApprovalFilter {
  std::string tenant;  // empty: all
  std::optional<ApprovalState> state;
  SessionId session_id;  // empty: all
};

}  // namespace atl::model
