// Bodies about the server itself: keys, the audit trail, nodes, events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "bodies/common.hpp"
#include "model/audit.hpp"
#include "model/execution.hpp"
#include "model/risk_policy.hpp"
#include "model/session.hpp"

namespace atl::bodies {

struct CreateKeyBody {
  std::optional<std::string> tenant;
  std::optional<std::string> role;
  std::optional<std::string> name;
  std::optional<model::RiskPolicy> policy;
};
BOOST_DESCRIBE_STRUCT(CreateKeyBody, (), (tenant, role, name, policy))

struct KeyBody {
  std::string id;
  std::string tenant;
  std::string role;  // "read-only" has a dash
  std::string name;
  std::string created_at;
  Nullable<std::string> revoked_at;
  model::RiskPolicy policy;
  std::optional<std::string> secret;  // only in the answer that made it
};
BOOST_DESCRIBE_STRUCT(KeyBody, (), (id, tenant, role, name, created_at, revoked_at, policy, secret))

struct KeyListBody {
  std::vector<KeyBody> keys;
};
BOOST_DESCRIBE_STRUCT(KeyListBody, (), (keys))

struct AuditRowBody {
  std::string id;
  std::string time;
  std::string tenant;
  Nullable<std::string> key_id;
  model::AuditAction action{};
  std::string outcome;
  Nullable<std::string> session_id;
  Nullable<std::string> execution_id;
  Nullable<std::string> trace_id;
  Nullable<std::string> request_id;
  std::string detail;
  boost::json::value result;  // of what ended
  Nullable<std::string> chain;
  Nullable<std::int64_t> seq;
  Nullable<std::string> hash;
};
BOOST_DESCRIBE_STRUCT(AuditRowBody, (),
                      (id, time, tenant, key_id, action, outcome, session_id, execution_id,
                       trace_id, request_id, detail, result, chain, seq, hash))

struct AuditHeadBody {
  std::string chain;
  std::int64_t seq = 0;
  std::string hash;
  std::int64_t removed_seq = 0;  // rows up to this one were old and are gone
  std::string removed_hash;
};
BOOST_DESCRIBE_STRUCT(AuditHeadBody, (), (chain, seq, hash, removed_seq, removed_hash))

struct AuditChainBody {
  std::vector<AuditHeadBody> heads;
  std::vector<AuditRowBody> audit;
};
BOOST_DESCRIBE_STRUCT(AuditChainBody, (), (heads, audit))

struct AuditBreakBody {
  std::string chain;
  std::int64_t seq = 0;
  Nullable<std::string> id;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(AuditBreakBody, (), (chain, seq, id, reason))

struct AuditVerdictBody {
  bool ok = false;
  std::uint64_t rows = 0;
  std::vector<AuditHeadBody> heads;
  Nullable<AuditBreakBody> broken;  // the first row that is wrong
};
BOOST_DESCRIBE_STRUCT(AuditVerdictBody, (), (ok, rows, heads, broken))

// Of one execution, without its output.
struct DiagnosedExecutionBody {
  std::string execution_id;
  model::ExecutionState state = model::ExecutionState::kQueued;
  Nullable<int> exit_code;
  Nullable<std::string> error_code;
  Nullable<std::string> error_message;
  std::string created_at;
  Nullable<std::string> ended_at;
};
BOOST_DESCRIBE_STRUCT(DiagnosedExecutionBody, (),
                      (execution_id, state, exit_code, error_code, error_message, created_at,
                       ended_at))

struct DiagnosticsBody {
  std::string session_id;
  model::SessionState status = model::SessionState::kCreating;
  Nullable<std::string> error_code;
  Nullable<std::string> error_message;
  Nullable<std::string> ended_at;
  std::vector<DiagnosedExecutionBody> executions;
  std::vector<AuditRowBody> events;
  std::string log;
  bool log_truncated = false;
};
BOOST_DESCRIBE_STRUCT(DiagnosticsBody, (),
                      (session_id, status, error_code, error_message, ended_at, executions, events,
                       log, log_truncated))

struct AuditListBody {
  std::vector<AuditRowBody> audit;
  Nullable<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(AuditListBody, (), (audit, next_cursor))

struct RuntimeResourcesBody {
  double cpu_total = 0;
  double cpu_used = 0;
  std::uint64_t memory_total = 0;  // MB
  std::uint64_t memory_used = 0;   // MB
  std::uint64_t session_count = 0;
};
BOOST_DESCRIBE_STRUCT(RuntimeResourcesBody, (),
                      (cpu_total, cpu_used, memory_total, memory_used, session_count))

struct RuntimeBody {
  std::string id;
  std::string type;
  std::string endpoint;
  std::vector<std::string> capabilities;
  RuntimeResourcesBody resources;
  std::string health;  // healthy, degraded, unhealthy
  std::string last_heartbeat;
};
BOOST_DESCRIBE_STRUCT(RuntimeBody, (),
                      (id, type, endpoint, capabilities, resources, health, last_heartbeat))

struct RuntimeListBody {
  std::vector<RuntimeBody> runtimes;
};
BOOST_DESCRIBE_STRUCT(RuntimeListBody, (), (runtimes))

struct LifeEventBody {
  std::string event;
  std::string session_id;
  std::string status;
  std::string timestamp;
  std::optional<std::string> execution_id;
  // Of network_refused.
  std::optional<std::string> host;
  std::optional<std::uint16_t> port;
  std::optional<std::string> reason;
  // Of file_changed.
  std::optional<std::string> path;
  std::optional<std::string> change;
};
BOOST_DESCRIBE_STRUCT(LifeEventBody, (),
                      (event, session_id, status, timestamp, execution_id, host, port, reason, path,
                       change))

struct PreviewTokenBody {
  std::uint64_t ttl = 300;  // seconds
};
BOOST_DESCRIBE_STRUCT(PreviewTokenBody, (), (ttl))

}  // namespace atl::bodies
