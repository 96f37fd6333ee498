// atoll: options, wiring, run. The start-up path counts in microseconds: nothing here may load,
// build or ask for what the command at hand does not use.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <vector>

#include "async/run.hpp"
#include "backends/native/launcher_process.hpp"
#include "base/program_folder.hpp"
#include "cli/config/config_command.hpp"
#include "cli/core/common_options.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/help.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/doctor/backends_command.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/image/image_command.hpp"
#include "cli/remote/manual.hpp"
#include "cli/repl/repl_session.hpp"
#include "cli/run/privileges.hpp"
#include "cli/run/run_command.hpp"
#include "cli/run/run_session.hpp"
#include "egress/start.hpp"
#include "images/store.hpp"
#include "model/default_backend.hpp"
#include "sandbox/registry.hpp"

namespace {

using namespace atl;
using namespace atl::cli;

// A descriptor 0, 1 or 2 that is closed would be given to the next file that is opened.
void fill_standard_streams() {
  for (int fd = 0; fd < 3; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    if (::open("/dev/null", O_RDWR) < 0) ::_exit(kExitAtoll);
  }
}

// What must happen before privileges are dropped and is needed after it.
struct EarlyStart {
  EarlyStart() { backends::register_all_backends(registry); }

  // Only root has a launcher that looks for anything there.
  static sandbox::BackendOptions options() {
    return {.image_folder = ::geteuid() == 0 ? images::data_folder().value_or("") : "",
            .once = true};
  }

  void prepare(const sandbox::BackendEntry& entry) {
    if (prepared_for == &entry || !entry.prepare_as_root) return;
    prepared = entry.prepare_as_root(options(), identity.uid, identity.gid);
    prepared_for = &entry;
  }

  // First of all, so that the launcher starts up while the options are read.
  void prepare_default() {
    Result<const sandbox::BackendEntry*> entry = registry.get(model::kDefaultBackend);
    if (entry) prepare(**entry);
  }

  sandbox::Registry registry;
  Identity identity = service_identity();
  Result<sandbox::Prepared> prepared = sandbox::Prepared();
  const sandbox::BackendEntry* prepared_for = nullptr;
};

// What a command does with a backend.
template <typename T>
using Session = std::function<async::Task<T>(async::Executor executor, sandbox::Backend* backend)>;

template <typename T>
async::Task<Result<T>> run_with(const sandbox::BackendEntry* entry, sandbox::BackendOptions options,
                                Session<T> session) {
  async::Executor executor = options.executor;
  ATOLL_CO_TRY(std::unique_ptr<sandbox::Backend> backend, entry->make(std::move(options)));
  co_return co_await session(executor, backend.get());
}

template <typename T>
Result<T> with_backend(const sandbox::BackendEntry* entry, EarlyStart& early, Session<T> session) {
  early.prepare(*entry);
  sandbox::BackendOptions options = EarlyStart::options();
  ATOLL_TRY(options.prepared, std::move(early.prepared));
  early.identity.group = options.prepared.group;
  ATOLL_CHECK(drop_privileges(early.identity));
  return async::run_to_end<Result<T>>([&](async::Executor executor) {
    options.executor = std::move(executor);
    return run_with<T>(entry, std::move(options), std::move(session));
  });
}

// For a plan with a network. Before privileges are dropped, so that the program gets a user of its
// own. It ends when this process closes its connection.
Result<void> start_egress(const Identity& identity, RunPlan& plan) {
  if (!plan.network) return {};
  ATOLL_TRY(std::string folder, program_folder());
  ATOLL_TRY(egress::ControlPair control, egress::control_pair());
  egress::StartOptions options{.program = folder + "/" + std::string(egress::kProgram),
                               .client_uid = identity.uid,
                               .once = true};
  ATOLL_TRY(Child child, egress::start(options, std::move(control.listener)));
  child.detach();
  plan.egress = std::move(control.client);
  return {};
}

int run_command(Arguments arguments) {
  EarlyStart early;
  if (wants_early_launcher(arguments)) early.prepare_default();
  ::signal(SIGPIPE, SIG_IGN);  // after it: the launcher would inherit this
  RunOptions options;
  if (Result<void> parsed = parse_run_options(arguments, options); !parsed) {
    return report_failure(parsed.error(), options);
  }
  if (options.help) return show_help(*find_command("run"));
  if (!early.prepared) return report_failure(early.prepared.error(), options);
  Result<const sandbox::BackendEntry*> entry = early.registry.get(options.backend);
  if (!entry) return report_failure(entry.error(), options);
  Result<RunPlan> plan = make_plan(options, **entry);
  if (!plan) return report_failure(plan.error(), options);
  if (Result<void> started = start_egress(early.identity, *plan); !started) {
    return report_failure(started.error(), options);
  }
  Result<RunReport> report = with_backend<RunReport>(
      *entry, early,
      [&](auto executor, auto* backend) { return run_session(executor, backend, &*plan); });
  return report ? report_result(std::move(*report), options)
                : report_failure(report.error(), options);
}

int repl_command(Arguments arguments) {
  EarlyStart early;
  if (wants_early_launcher(arguments)) early.prepare_default();
  ::signal(SIGPIPE, SIG_IGN);
  ReplOptions options;
  if (Result<void> parsed = parse_repl_options(arguments, options); !parsed) {
    return report_repl_failure(parsed.error(), options);
  }
  if (options.help) return show_help(*find_command("repl"));
  if (!early.prepared) return report_repl_failure(early.prepared.error(), options);
  Result<const sandbox::BackendEntry*> entry = early.registry.get(options.backend);
  if (!entry) return report_repl_failure(entry.error(), options);
  Result<ReplPlan> plan = make_repl_plan(options, **entry);
  if (!plan) return report_repl_failure(plan.error(), options);
  if (Result<void> started = start_egress(early.identity, plan->run); !started) {
    return report_repl_failure(started.error(), options);
  }
  Result<int> status = with_backend<int>(*entry, early, [&](auto executor, auto* backend) {
    return repl_session(executor, backend, &*plan, &options);
  });
  return status ? *status : report_repl_failure(status.error(), options);
}

// -o, --color and -h, and no words after them.
Result<CommonOptions> report_options(Arguments arguments,
                                     std::span<const Option> table = report_option_table()) {
  CommonOptions options;
  ATOLL_TRY(ParseResult parsed, parse_options(arguments, table, &options));
  if (parsed.rest < arguments.size()) {
    return fail(Code::kInvalidArgument,
                "unexpected \"" + std::string(arguments[parsed.rest]) + "\"");
  }
  return options;
}

int clean_leftovers(const LeftoverPlaces& places, const CommonOptions& options) {
  std::vector<Leftover> removed = sweep_leftovers(places, true);
  show(options.output == OutputFormat::kJson ? leftovers_json(removed, ::isatty(STDOUT_FILENO) == 1)
                                             : leftovers_text(removed));
  bool all = std::ranges::all_of(removed, &std::string::empty, &Leftover::problem);
  return all ? 0 : 1;
}

int doctor_command(Arguments arguments) {
  Result<CommonOptions> options = report_options(arguments, doctor_option_table());
  if (!options) return own_failure(options.error());
  if (options->help) return show_help(*find_command("doctor"));
  LeftoverPlaces places{.shared = backends::native::default_run_folder()};
  if (options->clean) return clean_leftovers(places, *options);
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  Result<const sandbox::BackendEntry*> examined = registry.get(model::kDefaultBackend);
  Diagnosis diagnosis =
      examine_host(examined ? (*examined)->probe() : fail(examined.error()), places);
  bool terminal = ::isatty(STDOUT_FILENO) == 1;
  show(options->output == OutputFormat::kJson
           ? diagnosis_json(diagnosis, terminal)
           : diagnosis_text(diagnosis, text_width(STDOUT_FILENO),
                            use_color(options->color, STDOUT_FILENO)));
  return diagnosis.works() ? 0 : 1;
}

std::string installable_backends() {
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  std::string names;
  for (const sandbox::BackendEntry& entry : registry.list()) {
    if (entry.install) names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

int backends_command(Arguments arguments) {
  if (arguments.size() == 2 && arguments[0] == "install") {
    sandbox::Registry registry;
    backends::register_all_backends(registry);
    Result<void> installed = install_backend(registry, arguments[1]);
    return installed ? 0 : own_failure(installed.error());
  }
  if (arguments.size() == 1 && arguments[0] == "install") {
    return own_failure(Error(Code::kInvalidArgument,
                             "backends install: name one backend: " + installable_backends()));
  }
  Result<CommonOptions> options = report_options(arguments);
  if (!options) return own_failure(options.error());
  if (options->help) return show_help(*find_command("backends"));
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  return show(options->output == OutputFormat::kJson
                  ? backends_json(registry, ::isatty(STDOUT_FILENO) == 1)
                  : backends_text(registry, use_color(options->color, STDOUT_FILENO)));
}

Result<std::vector<std::string>> import_elsewhere(
    const std::string& name, UniqueFd archive, const std::string& image,
    std::function<void(std::uint64_t done, std::uint64_t total)> on_progress) {
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  ATOLL_TRY(const sandbox::BackendEntry* entry, registry.get(name));
  if (!entry->import_images) {
    return fail(Code::kUnsupported, "the backend " + name + " takes no archives of images");
  }
  return entry->import_images(
      {.file = std::move(archive), .name = image, .on_progress = std::move(on_progress)});
}

int image_store_command(Arguments arguments) {
  Result<std::string> programs = program_folder();
  return programs ? image_command(arguments, *programs, &import_elsewhere)
                  : own_failure(programs.error());
}

Result<void> check_backend(const std::string& name) {
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  ATOLL_CHECK(registry.get(name));
  return {};
}

int show_config_command(Arguments arguments) {
  const char* home = std::getenv("HOME");
  return config_command(arguments, {.environment = environ,
                                    .home = home != nullptr ? home : "",
                                    .data = images::server_folder().value_or(""),
                                    .check_backend = &check_backend});
}

// What speaks HTTP lies beside this program: linked in, its relocations would be paid for by every
// `atoll run` (docs/adr/0015-server-program.md).
int start_program(const char* name, Arguments arguments) {
  Result<std::string> programs = program_folder();
  if (!programs) return own_failure(programs.error());
  std::string program = *programs + "/" + name;
  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  std::string step = "starting " + std::string(name) + ", which should lie beside atoll";
  return own_failure(fail_errno(step.c_str()).error());
}

bool is_remote(std::string_view name) {
  for (const Command& command : remote_manuals()) {
    if (command.name == name) return true;
  }
  return false;
}

bool needs_all_backends(std::string_view name, Arguments rest) {
  if (backends::has_all_backends()) return false;
  if (name == "backends" || name == "config") return true;
  if ((name == "run" || name == "repl") && names_secret(rest)) return true;
  if (name != "run" && name != "repl" && name != "image") return false;
  std::string_view backend = named_backend(rest);
  if (backend.empty() || backend == model::kDefaultBackend) return false;
  sandbox::Registry registry;
  backends::register_all_backends(registry);
  return !registry.get(backend);
}

int dispatch(Arguments arguments) {
  if (arguments.empty()) return no_command();
  std::string_view name = arguments[0];
  Arguments rest = arguments.subspan(1);
  if (needs_all_backends(name, rest)) return start_program("atoll-backends", arguments);
  if (name == "run") return run_command(rest);
  if (name == "repl") return repl_command(rest);
  if (name == "doctor") return doctor_command(rest);
  if (name == "backends") return backends_command(rest);
  if (name == "image") return image_store_command(rest);
  if (name == "config") return show_config_command(rest);
  if (name == "serve" || name == "key") return start_program("atoll-server", arguments);
  if (is_remote(name) || name == "policy") return start_program("atoll-client", arguments);
  if (name == "completion") return completion_command(rest);
  if (name == "version") return version_command(rest);
  if (name == "help") return help_command(rest);
  return name.starts_with('-') ? main_options(arguments) : unknown_command(name);
}

}  // namespace

int main(int count, char** values) {
  fill_standard_streams();
  try {
    std::vector<std::string_view> arguments(values, values + count);
    return dispatch(Arguments(arguments).subspan(count > 0 ? 1 : 0));
  } catch (const std::exception& error) {
    return own_failure(Error(Code::kInternal, error.what()));
  }
}
