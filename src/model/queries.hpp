// Which rows a listing has.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/approval.hpp"
#include "model/audit.hpp"
#include "model/execution.hpp"
#include "model/session.hpp"

namespace atl::model {

// Newest first; `after` is the id that the last page ended with. Ids sort by time.
struct Page {
  std::string after;
  std::size_t limit = 50;
};

struct SessionFilter {
  std::string tenant;  // empty: all
  std::vector<SessionState> states;
  std::string template_id;
  std::string session_key;                    // empty: any, or none
  std::map<std::string, std::string> labels;  // all of them must match
};

struct ExecutionFilter {
  SessionId session_id;  // empty: all
  std::vector<ExecutionState> states;
};

struct AuditFilter {
  std::string tenant;
  std::optional<AuditAction> action;
  SessionId session_id;  // empty: all, as the key
  std::string key_id;
  std::optional<Time> since;  // this millisecond and later
  std::optional<Time> until;  // before this one
};

}  // namespace atl::model
