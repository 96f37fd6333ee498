#include "cli/server/serve_options.hpp"

#include <algorithm>
#include <array>

namespace atl::cli {
namespace {

Result<void> set_format(void* target, std::string_view value) {
  if (value != "table" && value != "json") {
    return fail(Code::kInvalidArgument, "must be table or json");
  }
  static_cast<KeyOptions*>(target)->json = value == "json";
  return {};
}

constexpr std::array kServe{
    Option{.name = "listen",
           .argument = "ADDR:PORT",
           .help = "Where to listen. Default: 127.0.0.1:8080. Port 0 picks a free one.",
           .set = set_text<&ServeOptions::listen>},
    Option{.name = "data",
           .argument = "DIR",
           .help = "The data folder: database, results, snapshots. One server at a time. Default: "
                   "/var/lib/atoll/server as root, else atoll/server in the user's data folder.",
           .set = set_text<&ServeOptions::data>,
           .complete = Complete::kFolder},
    Option{.name = "backend",
           .argument = "NAME",
           .help = "The walls of templates that name none. Default: native.",
           .set = set_text<&ServeOptions::backend>},
    Option{.name = "no-auth",
           .help = "Let everybody who reaches the port in, as owner. Only for loopback addresses.",
           .set = set_flag<&ServeOptions::no_auth>},
    Option{.name = "temporary",
           .help = "End when standard input ends, and remove the data folder: for programs that "
                   "start a server for themselves alone.",
           .set = set_flag<&ServeOptions::temporary>},
    Option{.name = "config",
           .argument = "FILE",
           .help = "Read this configuration file, and no other (docs/configuration.md).",
           .set = set_text<&ServeOptions::config>,
           .complete = Complete::kFile},
    Option{.name = "set",
           .argument = "PATH=VALUE",
           .help = "Set a field of the configuration, over file and environment. May be given "
                   "several times.",
           .set = add_text<&ServeOptions::sets>},
    Option{.name = "help",
           .short_name = 'h',
           .help = "Show this text.",
           .set = set_flag<&ServeOptions::help>},
};

constexpr std::array kKey{
    Option{.name = "data",
           .argument = "DIR",
           .help = "The server's data folder. The server may run meanwhile. Default: "
                   "as for atoll serve.",
           .set = set_text<&KeyOptions::data>,
           .complete = Complete::kFolder},
    Option{.name = "store",
           .argument = "URL",
           .help = "The server's database, where it is not SQLite in the data folder.",
           .set = set_text<&KeyOptions::store>},
    Option{.name = "role",
           .argument = "ROLE",
           .help =
               "owner, admin, approver, user or read-only. Default: owner for the first key of a "
               "server, else user.",
           .set = set_text<&KeyOptions::role>,
           .complete = Complete::kWords,
           .words = "owner admin approver user read-only"},
    Option{.name = "tenant",
           .argument = "NAME",
           .help = "Whose sessions the key sees. Default: default.",
           .set = set_text<&KeyOptions::tenant>},
    Option{.name = "name",
           .argument = "TEXT",
           .help = "A note for people.",
           .set = set_text<&KeyOptions::name>},
    Option{.name = "policy",
           .argument = "LEVEL=ACTION,...",
           .help = "What happens to risky code of the key: levels low, medium, high, critical, "
                   "actions allow, ask, deny, as in high=ask,critical=deny.",
           .set = set_text<&KeyOptions::policy>},
    Option{.name = "secret",
           .argument = "VALUE",
           .help = "Take this secret (16 to 512 characters) instead of a random one.",
           .set = set_text<&KeyOptions::secret>},
    Option{.name = "e2b",
           .help = "Make a secret of the form e2b_ and hexadecimal digits, which some versions of "
                   "E2B's clients require.",
           .set = set_flag<&KeyOptions::e2b>},
    Option{.name = "output",
           .short_name = 'o',
           .argument = "FORMAT",
           .help = "table or json. Default: table.",
           .set = set_format,
           .complete = Complete::kWords,
           .words = "table json"},
    Option{.name = "help",
           .short_name = 'h',
           .help = "Show this text.",
           .set = set_flag<&KeyOptions::help>},
};

}  // namespace

std::span<const Option> serve_option_table() { return kServe; }
std::span<const Option> key_option_table() { return kKey; }

Result<void> parse_serve_options(std::span<const std::string_view> arguments,
                                 ServeOptions& options) {
  ATOLL_TRY(ParseResult parsed, parse_options(arguments, kServe, &options));
  if (parsed.rest == arguments.size()) return {};
  return fail(Code::kInvalidArgument,
              "unexpected \"" + std::string(arguments[parsed.rest]) + "\": serve takes options");
}

Result<void> parse_key_options(std::span<const std::string_view> arguments, KeyOptions& options) {
  return parse_with_words(arguments, kKey, &options, options.words);
}

}  // namespace atl::cli
