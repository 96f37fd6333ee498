// A session: what a client asks for and holds. Plain data; who may change it is control's business.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "base/ids.hpp"
#include "model/network.hpp"

namespace atl::model {

// What is written to the store and shown to clients; clocks that measure are steady ones.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;

BOOST_DEFINE_ENUM_CLASS(SessionState, kCreating, kReady, kRunning, kPaused, kCompleted, kTerminated,
                        kFailed)

// No sandbox is behind it, and none will be.
constexpr bool is_final(SessionState state) {
  return state == SessionState::kCompleted || state == SessionState::kTerminated ||
         state == SessionState::kFailed;
}

struct Resources {
  std::optional<double> cpu;            // cores
  std::optional<std::uint64_t> memory;  // MB, as in the templates
  std::optional<std::uint64_t> disk;    // MB
  std::optional<std::uint32_t> pids;
};
BOOST_DESCRIBE_STRUCT(Resources, (), (cpu, memory, disk, pids))

struct SessionConfig {
  std::uint64_t timeout_seconds = 300;
  std::optional<std::uint64_t> idle_timeout_seconds;
  bool allow_network = false;
  std::map<std::string, std::string> environment;
  Resources resources;
  bool pause_on_timeout = false;  // it is paused where others end
  // None: what allow_network and the lists say. Not described: the store keeps it apart, encrypted.
  std::optional<NetworkPolicy> network;
};
BOOST_DESCRIBE_STRUCT(SessionConfig, (),
                      (timeout_seconds, idle_timeout_seconds, allow_network, environment, resources,
                       pause_on_timeout))

struct Session {
  SessionId id;
  std::string tenant;
  std::string key_id;       // whose request made it; empty without keys
  std::string session_key;  // empty: none
  std::string template_id;
  std::string runtime_node;
  std::string backend;
  SandboxId sandbox_id;  // empty until one is behind it
  SessionState state = SessionState::kCreating;
  SessionConfig config;
  std::map<std::string, std::string> labels;
  std::string metadata_json = "{}";  // an object of the client's
  std::vector<std::string> isolation_layers;
  std::vector<std::string> isolation_missing;
  Time created_at{};
  Time updated_at{};
  std::optional<Time> ready_at;
  std::optional<Time> expires_at;
  std::optional<Time> ended_at;
  std::string error_code;  // why it failed, or its files were not saved; empty: neither
  std::string error_message;
  std::string snapshot_id;  // whose files it began with; empty: none
  bool one_shot = false;    // it ends with the request that made it, whose answer is all there is
  std::string workspace = "/workspace";  // as programs in its sandbox see it; not stored
};

}  // namespace atl::model
