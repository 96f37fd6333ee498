#include "cli/remote/options.hpp"

#include <algorithm>
#include <array>

#include "cli/core/units.hpp"
#include "cli/run/run_options.hpp"

namespace atl::cli {
namespace {

RemoteOptions& options_of(void* target) { return *static_cast<RemoteOptions*>(target); }

Result<void> add_label(void* target, std::string_view value) {
  std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return fail(Code::kInvalidArgument, "write NAME=VALUE");
  }
  options_of(target).labels.emplace_back(value);
  return {};
}

Result<void> add_states(void* target, std::string_view value) {
  while (!value.empty()) {
    std::string_view one = value.substr(0, value.find(','));
    value.remove_prefix(std::min(value.size(), one.size() + 1));
    if (!one.empty()) options_of(target).states.emplace_back(one);
  }
  return {};
}

constexpr std::array kCommon{
    Option{.name = "server",
           .argument = "URL",
           .help = "http://HOST:PORT, https://HOST or unix:///PATH. Default: ATOLL_SERVER, else "
                   "http://127.0.0.1:8080.",
           .set = set_text<&RemoteOptions::server>,
           .group = "Server"},
    Option{.name = "key",
           .argument = "KEY",
           .help = "The API key. Default: ATOLL_KEY, which other users of this machine do not see; "
                   "for a server on this machine also what ./dev up left.",
           .set = set_text<&RemoteOptions::key>},
    Option{.name = "ca-file",
           .argument = "FILE",
           .help = "https: trust what these certificates (PEM) sign, and no others.",
           .set = set_text<&RemoteOptions::ca_file>,
           .complete = Complete::kFile},
};
constexpr Option kColor{
    .name = "color",
    .argument = "WHEN",
    .help = "auto, always or never. Default: auto, on a terminal and without NO_COLOR.",
    .set = set_parsed<&RemoteOptions::color, parse_color_mode>,
    .complete = Complete::kWords,
    .words = "auto always never",
    .group = "Output"};
constexpr Option kHelp{.name = "help",
                       .short_name = 'h',
                       .help = "Show this text.",
                       .set = set_flag<&RemoteOptions::help>};
constexpr Option kOutput{
    .name = "output",
    .short_name = 'o',
    .argument = "FORMAT",
    .help = "table, json or yaml. Default: table. json is what the server answered.",
    .set = set_parsed<&RemoteOptions::output, parse_document_format>,
    .complete = Complete::kWords,
    .words = "table json yaml"};
constexpr Option kEnv{.name = "env",
                      .short_name = 'e',
                      .argument = "K=V",
                      .help =
                          "Set a variable; K alone takes it from here. May be given several "
                          "times.",
                      .set = add_text<&RemoteOptions::env>};
constexpr Option kWorkdir{.name = "workdir",
                          .short_name = 'w',
                          .argument = "DIR",
                          .help = "Start in this folder. Default: /workspace.",
                          .set = set_text<&RemoteOptions::workdir>};
constexpr Option kLabel{.name = "label",
                        .argument = "NAME=VALUE",
                        .help = "A label. May be given several times.",
                        .set = add_label};

// A heading belongs to the first option below it.
constexpr Option under(Option option, std::string_view group) {
  option.group = group;
  return option;
}

template <std::size_t N>
constexpr auto with_common(std::array<Option, N> own) {
  std::array<Option, N + kCommon.size() + 2> all{};
  std::size_t at = 0;
  for (const Option& option : own) all[at++] = option;
  for (const Option& option : kCommon) all[at++] = option;
  all[at++] = kColor;
  all[at++] = kHelp;
  return all;
}

constexpr std::array kPs = with_common(std::array{
    under(Option{.name = "all",
                 .short_name = 'a',
                 .help = "Also those that have ended, as long as the server remembers them.",
                 .set = set_flag<&RemoteOptions::all>},
          "Which sessions"),
    Option{.name = "status",
           .argument = "STATE",
           .help = "Only those in this state, or in one of several, with commas between them.",
           .set = add_states,
           .complete = Complete::kWords,
           .words = "creating ready running paused completed terminated failed"},
    Option{.name = "label",
           .argument = "NAME=VALUE",
           .help = "Only those with this label. May be given several times.",
           .set = add_label},
    Option{.name = "template",
           .argument = "ID",
           .help = "Only those of this template.",
           .set = set_text<&RemoteOptions::template_id>},
    Option{.name = "limit",
           .argument = "N",
           .help = "At most so many, the newest. Default: 1000.",
           .set = set_parsed<&RemoteOptions::limit, parse_count>},
    under(Option{.name = "quiet",
                 .short_name = 'q',
                 .help = "Print the ids and nothing else.",
                 .set = set_flag<&RemoteOptions::quiet>},
          "How they are shown"),
    kOutput,
});

constexpr std::array kCreate = with_common(std::array{
    under(Option{.name = "timeout",
                 .argument = "TIME",
                 .help = "How long the session lives: 90s, 10m, 2h. Default: the template's, or "
                         "5 minutes.",
                 .set = set_parsed<&RemoteOptions::timeout, parse_duration>},
          "The session"),
    Option{.name = "idle-timeout",
           .argument = "TIME",
           .help = "End it when nothing has run for so long.",
           .set = set_parsed<&RemoteOptions::idle_timeout, parse_duration>},
    Option{.name = "network",
           .help = "With network, where the template allows it.",
           .set = set_flag<&RemoteOptions::network>},
    Option{.name = "net", .help = kNetHelp, .set = set_net<&RemoteOptions::rules>},
    Option{.name = "allow-net",
           .argument = "RULE,…",
           .help = kAllowNetHelp,
           .set = add_of_network<&RemoteOptions::rules, &NetworkOptions::allow>},
    Option{.name = "deny-net",
           .argument = "RULE,…",
           .help = kDenyNetHelp,
           .set = add_of_network<&RemoteOptions::rules, &NetworkOptions::deny>},
    kEnv,
    kLabel,
    Option{.name = "memory",
           .argument = "SIZE",
           .help = "Less memory than the template gives: 128m.",
           .set = set_parsed<&RemoteOptions::memory, parse_size>},
    Option{.name = "cpus",
           .argument = "N",
           .help = "Less processor than the template gives: 0.5.",
           .set = set_parsed<&RemoteOptions::cpu_milli, parse_milli>},
    Option{.name = "disk",
           .argument = "SIZE",
           .help = "Less disk than the template gives: 100m.",
           .set = set_parsed<&RemoteOptions::disk, parse_size>},
    Option{.name = "pids",
           .argument = "N",
           .help = "Fewer processes than the template gives.",
           .set = set_parsed<&RemoteOptions::pids, parse_count>},
    Option{.name = "session-key",
           .argument = "TEXT",
           .help = "The same text gives the same session as long as it lives.",
           .set = set_text<&RemoteOptions::session_key>},
    Option{.name = "snapshot",
           .argument = "ID",
           .help = "Begin with the files of a snapshot.",
           .set = set_text<&RemoteOptions::snapshot>},
    Option{.name = "no-wait",
           .help = "Do not wait until it is ready; what is executed waits its turn.",
           .set = set_flag<&RemoteOptions::no_wait>},
    kOutput,
});

constexpr std::array kExec = with_common(std::array{
    under(Option{.name = "language",
                 .short_name = 'l',
                 .argument = "LANGUAGE",
                 .help = "Run code instead of a program: the word behind SESSION, - for stdin.",
                 .set = set_text<&RemoteOptions::language>,
                 .complete = Complete::kWords,
                 .words = "python javascript typescript bash c cpp go java rust"},
          "What runs"),
    Option{.name = "code",
           .short_name = 'c',
           .argument = "CODE",
           .help = "Run this code, Python where --language does not say otherwise.",
           .set = set_parsed<&RemoteOptions::code,
                             [](std::string_view value) -> Result<std::string> {
                               return std::string(value);
                             }>},
    Option{.name = "context",
           .argument = "NAME",
           .help = "Run code in an interpreter that remembers: default, or the id of one.",
           .set = set_text<&RemoteOptions::context>},
    Option{.name = "timeout",
           .argument = "TIME",
           .help = "End it after so long: 500ms, 10s, 2m. Default: 60s, 30s for code.",
           .set = set_parsed<&RemoteOptions::timeout, parse_duration>},
    kEnv,
    kWorkdir,
    Option{.name = "interactive",
           .short_name = 'i',
           .help = "Pass stdin on.",
           .set = set_flag<&RemoteOptions::interactive>},
    Option{.name = "detach",
           .short_name = 'd',
           .help = "Print the id of the execution and do not wait for it.",
           .set = set_flag<&RemoteOptions::detach>},
    Option{.name = "output",
           .short_name = 'o',
           .argument = "FORMAT",
           .help = "table, json or yaml. table passes the output on as it comes, json and yaml "
                   "print the whole result at the end. Default: table.",
           .set = set_parsed<&RemoteOptions::output, parse_document_format>,
           .complete = Complete::kWords,
           .words = "table json yaml"},
});

constexpr std::array kShell = with_common(std::array{
    under(Option{.name = "command",
                 .short_name = 'c',
                 .argument = "COMMAND",
                 .help = "Run this instead of bash or sh.",
                 .set = set_text<&RemoteOptions::command>},
          "The terminal"),
    kWorkdir,
});

constexpr std::array kCp = with_common(std::array{
    under(Option{.name = "quiet",
                 .short_name = 'q',
                 .help = "No progress and no warnings.",
                 .set = set_flag<&RemoteOptions::quiet>},
          "Copying"),
});

constexpr std::array kLogs = with_common(std::array{
    under(Option{.name = "follow",
                 .short_name = 'f',
                 .help = "Go on as long as it runs.",
                 .set = set_flag<&RemoteOptions::follow>},
          "What is shown"),
    kOutput,
});

constexpr std::array kRm = with_common(std::array{
    under(Option{.name = "all",
                 .short_name = 'a',
                 .help = "All that live, or those with --label or of --template.",
                 .set = set_flag<&RemoteOptions::all>},
          "Which sessions"),
    Option{.name = "label",
           .argument = "NAME=VALUE",
           .help = "With --all: only those with this label. May be given several times.",
           .set = add_label},
    Option{.name = "template",
           .argument = "ID",
           .help = "With --all: only those of this template.",
           .set = set_text<&RemoteOptions::template_id>},
    Option{.name = "yes",
           .short_name = 'y',
           .help = "With --all: do not ask.",
           .set = set_flag<&RemoteOptions::yes>},
});

constexpr std::array kTemplate = with_common(std::array{
    under(Option{.name = "replace",
                 .help = "create: change the template when it exists already.",
                 .set = set_flag<&RemoteOptions::replace>},
          "Templates"),
    kOutput,
});

constexpr std::array kTenant = with_common(std::array{under(kOutput, "Tenants")});

constexpr std::array kAudit = with_common(std::array{
    under(Option{.name = "follow",
                 .short_name = 'f',
                 .help = "tail: go on with what is done from now on.",
                 .set = set_flag<&RemoteOptions::follow>},
          "Audit"),
    Option{.name = "session",
           .argument = "ID",
           .help = "tail: only of this session.",
           .set = set_text<&RemoteOptions::session>},
    kOutput,
});

constexpr std::array kSecretOptions = with_common(std::array{under(kOutput, "Secrets")});

constexpr std::array kMcp{
    Option{.name = "server",
           .argument = "URL",
           .help = "Talk to this server: http://HOST:PORT, https://HOST or unix:///PATH. Default: "
                   "ATOLL_SERVER, else a server of its own.",
           .set = set_text<&RemoteOptions::server>,
           .group = "A server that runs"},
    kCommon[1],
    kCommon[2],
    under(Option{.name = "data",
                 .argument = "DIR",
                 .help = "Keep the data of its own server here. Default: a temporary folder, which "
                         "goes with it.",
                 .set = set_text<&RemoteOptions::data>,
                 .complete = Complete::kFolder},
          "A server of its own"),
    Option{.name = "set",
           .argument = "PATH=VALUE",
           .help = "Set a field of its configuration, as with atoll serve. May be given several "
                   "times.",
           .set = add_text<&RemoteOptions::sets>},
    kColor,
    kHelp,
};

constexpr std::array kApprove = with_common(std::array{
    under(Option{.name = "reject",
                 .help = "Reject what is named, instead of approving it.",
                 .set = set_flag<&RemoteOptions::reject>},
          "The decision"),
    Option{.name = "reason",
           .argument = "TEXT",
           .help = "Why: whoever asked sees it, and the audit keeps it.",
           .set = set_text<&RemoteOptions::reason>},
    Option{.name = "remember",
           .argument = "TIME",
           .help = "Let the same code in the same session run for so long without asking, as 10m; "
                   "at most 24h.",
           .set = set_parsed<&RemoteOptions::timeout, parse_duration>},
    Option{.name = "state",
           .argument = "STATE",
           .help = "ls: waiting, approved, rejected, expired or cancelled. Default: waiting.",
           .set = add_states,
           .complete = Complete::kWords,
           .words = "waiting approved rejected expired cancelled"},
    kOutput,
});

constexpr std::array kTest = with_common(std::array{
    under(Option{.name = "with",
                 .argument = "FILE",
                 .help = "A test file for pytest or node:test, which imports `solution`.",
                 .set = set_text<&RemoteOptions::test_file>,
                 .complete = Complete::kFile},
          "Tests"),
    Option{.name = "cases",
           .argument = "FILE",
           .help = "Instead: a JSON list of {name, input, expected}; `expression` in the place of "
                   "`input` is printed once the code was loaded.",
           .set = set_text<&RemoteOptions::cases_file>,
           .complete = Complete::kFile},
    Option{.name = "language",
           .short_name = 'l',
           .argument = "LANG",
           .help = "Of the code. Default: by the suffix of FILE, else python.",
           .set = set_text<&RemoteOptions::language>},
    Option{.name = "coverage",
           .help = "Say which lines of Python code a test file reached.",
           .set = set_flag<&RemoteOptions::coverage>},
    Option{.name = "timeout",
           .argument = "TIME",
           .help = "For all tests together: 90s, 2m. Default: 60s.",
           .set = set_parsed<&RemoteOptions::timeout, parse_duration>},
    Option{.name = "session",
           .argument = "SESSION",
           .help = "Run in this session. Default: a new one, which is removed afterwards.",
           .set = set_text<&RemoteOptions::session>},
    Option{.name = "template",
           .argument = "ID",
           .help = "Of the new session. Default: by the language.",
           .set = set_text<&RemoteOptions::template_id>},
    kOutput,
});

constexpr std::array kNetworkOptions = with_common(std::array{
    under(Option{.name = "set",
                 .argument = "FILE",
                 .help = "Replace the policy by this JSON document; - reads stdin.",
                 .set = set_text<&RemoteOptions::set_file>,
                 .complete = Complete::kFile},
          "Network"),
    kOutput,
});

}  // namespace

std::span<const Option> ps_option_table() { return kPs; }
std::span<const Option> create_option_table() { return kCreate; }
std::span<const Option> exec_option_table() { return kExec; }
std::span<const Option> shell_option_table() { return kShell; }
std::span<const Option> cp_option_table() { return kCp; }
std::span<const Option> logs_option_table() { return kLogs; }
std::span<const Option> rm_option_table() { return kRm; }
std::span<const Option> template_option_table() { return kTemplate; }
std::span<const Option> secret_option_table() { return kSecretOptions; }
std::span<const Option> network_option_table() { return kNetworkOptions; }
std::span<const Option> approve_option_table() { return kApprove; }
std::span<const Option> test_option_table() { return kTest; }
std::span<const Option> tenant_option_table() { return kTenant; }
std::span<const Option> audit_option_table() { return kAudit; }
std::span<const Option> mcp_option_table() { return kMcp; }

Result<void> parse_remote_options(std::span<const std::string_view> arguments,
                                  std::span<const Option> table, bool program,
                                  RemoteOptions& options) {
  return parse_with_words(arguments, table, &options, options.words, program);
}

}  // namespace atl::cli
