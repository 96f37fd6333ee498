#include <unistd.h>

#include "cli/core/small_commands.hpp"
#include "cli/remote/remote.hpp"
#include "cli/remote/session_table.hpp"
#include "model/ports.hpp"

namespace atl::cli {
namespace {

Result<std::uint64_t> whole_seconds(std::chrono::milliseconds time, const char* option) {
  if (time.count() % 1000 != 0 || time.count() == 0) {
    return fail(Code::kInvalidArgument, std::string(option) + ": must be whole seconds, 1 or more");
  }
  return static_cast<std::uint64_t>(time.count() / 1000);
}

Result<std::uint64_t> whole_megabytes(std::uint64_t bytes, const char* option) {
  if (bytes % (1 << 20) != 0 || bytes == 0) {
    return fail(Code::kInvalidArgument, std::string(option) + ": must be whole megabytes, as 128m");
  }
  return bytes >> 20;
}

Result<model::Resources> resources_of(const RemoteOptions& options) {
  model::Resources resources;
  if (options.memory) {
    ATOLL_TRY(resources.memory, whole_megabytes(*options.memory, "--memory"));
  }
  if (options.disk) {
    ATOLL_TRY(resources.disk, whole_megabytes(*options.disk, "--disk"));
  }
  if (options.cpu_milli) resources.cpu = static_cast<double>(*options.cpu_milli) / 1000;
  if (options.pids) resources.pids = *options.pids;
  return resources;
}

bodies::NetworkPolicyBody body_of(const model::NetworkPolicy& policy) {
  bodies::NetworkPolicyBody body{.default_ = policy.default_,
                                 .rules = std::vector<bodies::NetworkRuleBody>()};
  for (const model::NetworkRule& rule : policy.rules) {
    bodies::NetworkRuleBody& one = body.rules->emplace_back();
    one.action = rule.action;
    one.target = rule.target;
    for (const model::PortRange& range : rule.ports) {
      if (!one.ports) one.ports.emplace();
      std::string text = model::ports_text(range);
      one.ports->push_back(boost::json::string(text.data(), text.size()));
    }
  }
  return body;
}

// Only what was said: the server knows the rest.
Result<bodies::CreateBody> request_of(const RemoteOptions& options) {
  bodies::ConfigBody config;
  if (options.timeout) {
    ATOLL_TRY(config.timeout_seconds, whole_seconds(*options.timeout, "--timeout"));
  }
  if (options.idle_timeout) {
    ATOLL_TRY(config.idle_timeout_seconds, whole_seconds(*options.idle_timeout, "--idle-timeout"));
  }
  if (options.network) config.allow_network = true;
  if (!options.rules.empty()) {
    if (options.network) {
      return fail(Code::kInvalidArgument, "--network excludes --net, --allow-net and --deny-net");
    }
    ATOLL_TRY(AskedNetwork asked, parse_network(options.rules));
    config.network = body_of(asked.policy);
  }
  if (!options.env.empty()) config.environment = environment_of(options);
  ATOLL_TRY(config.resources, resources_of(options));
  bodies::CreateBody request;
  if (!options.words.empty()) request.template_id = options.words[0];
  if (!options.session_key.empty()) request.session_key = options.session_key;
  if (!options.snapshot.empty()) request.snapshot_id = options.snapshot;
  if (!options.labels.empty()) request.labels = labels_of(options);
  request.config = std::move(config);
  return request;
}

}  // namespace

RemoteTask create_session(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (options.words.size() > 1) {
    co_return fail(Code::kInvalidArgument, "create: name one template at most");
  }
  ATOLL_CO_TRY(bodies::CreateBody request, request_of(options));
  ATOLL_CO_TRY(bodies::SessionBody session,
               co_await remote->api.create_session(std::move(request), !options.no_wait));
  if (wants_document(*remote)) co_return show_document(*remote, session);
  if (::isatty(STDOUT_FILENO) != 1) co_return show(session.id + "\n");
  co_return show(sessions_text(std::span(&session, 1), remote->clock.wall(),
                               use_color(options.color, STDOUT_FILENO)));
}

}  // namespace atl::cli
