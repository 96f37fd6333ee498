#include "cli/remote/commands.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include <boost/json/object.hpp>

#include "async/run.hpp"
#include "cli/core/document.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/remote/mcp.hpp"
#include "cli/remote/remote.hpp"
#include "cli/remote/report.hpp"
#include "cli/remote/server.hpp"

namespace atl::cli {
namespace {

struct Entry {
  std::string_view name;
  RemoteTask (*run)(Remote*);
  bool program = false;  // what follows its first word is not ours
};

constexpr std::array kEntries{
    Entry{"create", create_session},
    Entry{"ps", list_sessions},
    Entry{"exec", execute, true},
    Entry{"shell", open_shell},
    Entry{"cp", copy_files},
    Entry{"logs", show_logs},
    Entry{"rm", remove_sessions},
    Entry{"template", manage_templates},
    Entry{"secret", manage_secrets},
    Entry{"network", manage_network},
    Entry{"approve", manage_approvals},
    Entry{"test", test_code},
    Entry{"tenant", manage_tenants},
    Entry{"audit", manage_audit},
    Entry{"mcp", nullptr},
};

int report(const Error& error, const RemoteOptions& options) {
  print_remote_error(error, options.color);
  return exit_status_of(error.code());
}

RemoteTask run(async::Executor executor, const Entry* entry, const RemoteOptions* options,
               client::Address address) {
  Remote remote{
      .executor = executor, .options = *options, .api = client::Api(executor, std::move(address))};
  co_return co_await entry->run(&remote);
}

bodies::StringMap pairs(const std::vector<std::string>& list, bool from_here) {
  bodies::StringMap all;
  for (const std::string& one : list) {
    std::size_t equals = one.find('=');
    std::string name = one.substr(0, equals);
    const char* value = from_here ? std::getenv(name.c_str()) : nullptr;
    if (equals != std::string::npos) {
      all[name] = one.substr(equals + 1);
    } else if (value != nullptr) {
      all[name] = value;
    }
  }
  return all;
}

}  // namespace

bool wants_document(const Remote& remote) {
  return remote.options.output != DocumentFormat::kTable;
}

int show_document(const Remote& remote, const boost::json::value& document) {
  return show(remote.options.output == DocumentFormat::kYaml
                  ? yaml_text(document)
                  : json_text(document, ::isatty(STDOUT_FILENO) == 1));
}

bodies::StringMap environment_of(const RemoteOptions& options) { return pairs(options.env, true); }
bodies::StringMap labels_of(const RemoteOptions& options) { return pairs(options.labels, false); }

int remote_command(Arguments arguments, const std::string& local_key_file) {
  const Entry* entry = nullptr;
  for (const Entry& one : kEntries) {
    if (!arguments.empty() && arguments[0] == one.name) entry = &one;
  }
  if (entry == nullptr) {
    return own_failure(Error(Code::kInvalidArgument, "this is started by atoll ps and its like"));
  }
  const Command& manual = *find_command(entry->name);
  RemoteOptions options;
  Result<void> parsed =
      parse_remote_options(arguments.subspan(1), manual.options, entry->program, options);
  if (!parsed) return report(parsed.error(), options);
  if (options.help) return show_help(manual);
  ServerSources sources{.server = std::getenv("ATOLL_SERVER"),
                        .key = std::getenv("ATOLL_KEY"),
                        .key_file = local_key_file};
  if (entry->run == nullptr) return mcp_command(options, sources);
  Result<client::Address> address = choose_server(options, sources);
  if (!address) return report(address.error(), options);
  Result<int> status = async::run_to_end<Result<int>>([&](async::Executor executor) {
    return run(std::move(executor), entry, &options, *address);
  });
  return status ? *status : report(status.error(), options);
}

}  // namespace atl::cli
