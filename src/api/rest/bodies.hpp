// What requests say, field by field, and its translation into what control is asked for. Members
// that are absent keep what is written here; unknown ones are refused by the codec. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>

#include "api/refusal.hpp"
#include "api/rest/body_checks.hpp"
#include "control/keys.hpp"
#include "control/requests.hpp"
#include "model/template.hpp"

namespace atl::api::rest {

struct ConfigBody {
  std::optional<std::uint64_t> timeout_seconds;
  std::optional<std::uint64_t> idle_timeout_seconds;
  std::optional<bool> allow_network;
  std::optional<StringMap> environment;
  std::optional<model::Resources> resources;
};
BOOST_DESCRIBE_STRUCT(ConfigBody, (),
                      (timeout_seconds, idle_timeout_seconds, allow_network, environment,
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

// Of requests that say everything by their path.
struct EmptyBody {};
BOOST_DESCRIBE_STRUCT(EmptyBody, (), ())

struct ExecuteBody {
  std::optional<std::string> code;
  std::optional<std::string> language;
  std::optional<boost::json::value> command;  // a string for the shell, or a list
  std::optional<std::string> context;
  std::optional<std::string> cwd;
  std::optional<std::string> working_dir;  // the same
  std::optional<StringMap> env;
  std::optional<std::string> stdin_;  // NOLINT(readability-identifier-naming): stdin is a macro
  std::optional<std::string> stdin_b64;
  bool stdin_open = false;
  std::optional<double> timeout;
  std::optional<std::uint64_t> max_output_bytes;
  bool track_files = false;
};
BOOST_DESCRIBE_STRUCT(ExecuteBody, (),
                      (code, language, command, context, cwd, working_dir, env, stdin_, stdin_b64,
                       stdin_open, timeout, max_output_bytes, track_files))

// One shot: an execution and the session for it.
struct RunBody : ExecuteBody {
  std::optional<std::string> template_id;
  std::optional<ConfigBody> config;
  std::optional<StringMap> labels;
};
BOOST_DESCRIBE_STRUCT(RunBody, (ExecuteBody), (template_id, config, labels))

struct StdinBody {
  std::optional<std::string> data;
  std::optional<std::string> data_b64;
  bool close = false;
};
BOOST_DESCRIBE_STRUCT(StdinBody, (), (data, data_b64, close))

struct SignalBody {
  boost::json::value signal;  // 15, "TERM" or "SIGTERM"
};
BOOST_DESCRIBE_STRUCT(SignalBody, (), (signal))

struct ContextBody {
  std::optional<std::string> language;
  std::optional<std::string> cwd;
  std::optional<std::string> working_dir;
  std::optional<StringMap> env;
};
BOOST_DESCRIBE_STRUCT(ContextBody, (), (language, cwd, working_dir, env))

struct SnapshotBody {
  std::optional<std::string> name;
};
BOOST_DESCRIBE_STRUCT(SnapshotBody, (), (name))

struct PreviewTokenBody {
  std::uint64_t ttl = 300;  // seconds
};
BOOST_DESCRIBE_STRUCT(PreviewTokenBody, (), (ttl))

struct TemplateBody : model::TemplateSpec {
  std::optional<std::string> id;  // of a new one; in a replacement it may only be repeated
};
BOOST_DESCRIBE_STRUCT(TemplateBody, (model::TemplateSpec), (id))

struct KeyBody {
  std::optional<std::string> tenant;
  std::optional<std::string> role;
  std::optional<std::string> name;
};
BOOST_DESCRIBE_STRUCT(KeyBody, (), (tenant, role, name))

Answer<control::CreateRequest> to_request(CreateBody body);
Answer<control::CreateRequest> to_request(FlatCreateBody body);
Answer<control::ChangeRequest> to_request(ChangeBody body);
Answer<control::ExecuteRequest> to_request(ExecuteBody body);
Answer<control::OpenContextRequest> to_request(ContextBody body);
Answer<control::Keys::Wish> to_request(KeyBody body);
// The session of a one-shot run; the rest of the body is its execution.
Answer<control::CreateRequest> session_of(const RunBody& body);
Answer<std::string> to_bytes(StdinBody body);
Answer<int> to_signal(const SignalBody& body);

// "read-only", as contract §7 writes it; "read_only" is taken too.
std::string role_name(model::Role role);
std::optional<model::Role> role_from_name(std::string name);

}  // namespace atl::api::rest
