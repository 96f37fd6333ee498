// Bodies about sessions: POST and PATCH /sessions, and what is answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include "bodies/common.hpp"
#include "bodies/network.hpp"
#include "model/session.hpp"

namespace atl::bodies {

// In a request: absent members are the server's to decide.
struct ConfigBody {
  std::optional<std::uint64_t> timeout_seconds;
  std::optional<std::uint64_t> idle_timeout_seconds;
  std::optional<bool> allow_network;
  std::optional<NetworkPolicyBody> network;
  std::optional<StringMap> environment;
  std::optional<model::Resources> resources;
};
BOOST_DESCRIBE_STRUCT(ConfigBody, (),
                      (timeout_seconds, idle_timeout_seconds, allow_network, network, environment,
                       resources))

struct CreateBody {
  std::optional<std::string> template_id;
  std::optional<std::string> session_key;
  std::optional<ConfigBody> config;
  std::optional<StringMap> labels;
  std::optional<boost::json::value> metadata;  // an object
  std::optional<std::string> snapshot_id;
};
BOOST_DESCRIBE_STRUCT(CreateBody, (),
                      (template_id, session_key, config, labels, metadata, snapshot_id))

// The aliases: members of config may also stand beside the others, and win.
struct FlatCreateBody : CreateBody, ConfigBody {};
BOOST_DESCRIBE_STRUCT(FlatCreateBody, (CreateBody, ConfigBody), ())

struct ChangeConfigBody {
  std::optional<std::uint64_t> timeout_seconds;
  std::optional<std::uint64_t> idle_timeout_seconds;
};
BOOST_DESCRIBE_STRUCT(ChangeConfigBody, (), (timeout_seconds, idle_timeout_seconds))

struct ChangeBody {
  std::optional<StringMap> labels;
  std::optional<boost::json::value> metadata;  // an object
  std::optional<ChangeConfigBody> config;
};
BOOST_DESCRIBE_STRUCT(ChangeBody, (), (labels, metadata, config))

struct RenewBody {
  std::optional<std::uint64_t> seconds;  // absent: the session's timeout_seconds
};
BOOST_DESCRIBE_STRUCT(RenewBody, (), (seconds))

// The configuration that a session has.
struct SessionConfigBody {
  std::uint64_t timeout_seconds = 0;
  Nullable<std::uint64_t> idle_timeout_seconds;
  bool allow_network = false;
  std::optional<NetworkPolicyBody> network;  // when one was asked for
  StringMap environment;
  model::Resources resources;
};
BOOST_DESCRIBE_STRUCT(SessionConfigBody, (),
                      (timeout_seconds, idle_timeout_seconds, allow_network, network, environment,
                       resources))

struct IsolationBody {
  std::vector<std::string> layers;
  std::vector<std::string> missing;
};
BOOST_DESCRIBE_STRUCT(IsolationBody, (), (layers, missing))

struct SessionBody {
  std::string id;
  std::string session_id;  // the same
  Nullable<std::string> session_key;
  std::string template_id;
  std::string runtime_node;
  std::string backend;
  model::SessionState status = model::SessionState::kCreating;
  std::string workspace;
  SessionConfigBody config;
  StringMap labels;
  boost::json::value metadata;
  IsolationBody isolation;
  std::string created_at;
  std::string updated_at;
  Nullable<std::string> expires_at;
  Nullable<std::string> ended_at;
  std::optional<ErrorBody> error;            // of one that failed
  std::optional<ErrorBody> workspace_error;  // its files were not copied to the host
};
BOOST_DESCRIBE_STRUCT(SessionBody, (),
                      (id, session_id, session_key, template_id, runtime_node, backend, status,
                       workspace, config, labels, metadata, isolation, created_at, updated_at,
                       expires_at, ended_at, error, workspace_error))

struct SessionListBody {
  std::vector<SessionBody> sessions;
  Nullable<std::string> next_cursor;  // where the next page begins
};
BOOST_DESCRIBE_STRUCT(SessionListBody, (), (sessions, next_cursor))

struct SessionStatusBody {
  std::string session_id;
  model::SessionState status = model::SessionState::kCreating;
  std::vector<std::string> running;  // ids of executions
  Nullable<std::string> last_execution;
};
BOOST_DESCRIBE_STRUCT(SessionStatusBody, (), (session_id, status, running, last_execution))

struct UsageBody {
  double cpu_usage_percent = 0;
  double memory_usage_mb = 0;
  double memory_limit_mb = 0;
  std::uint64_t network_rx_bytes = 0;
  std::uint64_t network_tx_bytes = 0;
  std::uint64_t pids_current = 0;
  double disk_usage_mb = 0;
  std::vector<std::string> alerts;
};
BOOST_DESCRIBE_STRUCT(UsageBody, (),
                      (cpu_usage_percent, memory_usage_mb, memory_limit_mb, network_rx_bytes,
                       network_tx_bytes, pids_current, disk_usage_mb, alerts))

struct ProcessBody {
  std::int32_t pid = 0;
  std::int32_t parent = 0;
  std::string state;  // one letter, as in /proc
  std::uint64_t memory_bytes = 0;
  std::uint64_t cpu_ms = 0;
  std::string command;
};
BOOST_DESCRIBE_STRUCT(ProcessBody, (), (pid, parent, state, memory_bytes, cpu_ms, command))

struct ProcessListBody {
  std::vector<ProcessBody> processes;
};
BOOST_DESCRIBE_STRUCT(ProcessListBody, (), (processes))

}  // namespace atl::bodies
