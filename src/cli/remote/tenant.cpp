// `atoll tenant`: quotas of tenants.
#include <unistd.h>

#include <boost/json/object.hpp>

#include "cli/core/document.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/core/suggest.hpp"
#include "cli/core/table.hpp"
#include "cli/remote/remote.hpp"

namespace atl::cli {
namespace {

constexpr std::string_view kUsage =
    "tenant: write `tenant show NAME` or `tenant set NAME QUOTA=N…`";
constexpr std::string_view kNames[] = {"sessions",
                                       "executions",
                                       "cpu",
                                       "memory_mb",
                                       "disk_mb",
                                       "snapshots",
                                       "requests_per_second",
                                       "executions_per_day"};

// "sessions=10", or "sessions=none" for as many as the server has.
Result<void> take(boost::json::object& quotas, const std::string& word) {
  std::size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  if (std::ranges::find(kNames, name) == std::end(kNames)) {
    Suggestion best(name);
    for (std::string_view known : kNames) best.offer(known);
    std::string more = best.empty() ? "" : "; did you mean " + std::string(best.word()) + "?";
    return fail(Code::kInvalidArgument, "there is no quota \"" + name.substr(0, 80) + "\"" + more);
  }
  std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (value == "none") {
    quotas.erase(name);
    return {};
  }
  auto number = codec::parse(value);
  if (!number || !number->is_number()) {
    return fail(Code::kInvalidArgument, name + "=: give a number, or none");
  }
  quotas[name] = std::move(*number);
  return {};
}

std::string cell(const boost::json::object& from, std::string_view name) {
  const boost::json::value* found = from.if_contains(name);
  return found == nullptr ? "-" : codec::serialize(*found);
}

int show_tenant(const Remote& remote, const bodies::TenantBody& tenant) {
  if (wants_document(remote)) return show_document(remote, tenant);
  boost::json::object quotas = codec::to_json(tenant.quotas).get_object();
  boost::json::object usage = codec::to_json(tenant.usage).get_object();
  Table table({"QUOTA", "USED", "MOST"});
  for (std::string_view name : kNames) {
    table.add({{std::string(name)}, {cell(usage, name)}, {cell(quotas, name)}});
  }
  return show(table.text(use_color(remote.options.color, STDOUT_FILENO)));
}

}  // namespace

RemoteTask manage_tenants(Remote* remote) {
  const std::vector<std::string>& words = remote->options.words;
  bool sets = words.size() >= 3 && words[0] == "set";
  if (!sets && !(words.size() == 2 && words[0] == "show")) {
    co_return fail(Code::kInvalidArgument, std::string(kUsage));
  }
  ATOLL_CO_TRY(bodies::TenantBody tenant, co_await remote->api.get_tenant(words[1]));
  if (!sets) co_return show_tenant(*remote, tenant);
  // The others stay as they are.
  boost::json::object quotas = codec::to_json(tenant.quotas).get_object();
  for (std::size_t i = 2; i < words.size(); ++i) ATOLL_CO_CHECK(take(quotas, words[i]));
  auto wanted = codec::decode_value<model::TenantQuotas>(boost::json::value(quotas));
  if (!wanted) {
    co_return fail(Code::kInvalidArgument, wanted.error().to_error().message());
  }
  ATOLL_CO_TRY(tenant, co_await remote->api.put_tenant(words[1], *wanted));
  co_return show_tenant(*remote, tenant);
}

}  // namespace atl::cli
