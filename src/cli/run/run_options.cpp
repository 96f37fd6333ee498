#include "cli/run/run_options.hpp"

#include <array>

#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

constexpr std::array kTable{
    Option{.name = "language",
           .short_name = 'l',
           .argument = "LANG",
           .help =
               "Language of the code: python, javascript, typescript, bash, c, cpp, go, java or "
               "rust (usual short names are understood too). Without it the suffix of the file "
               "decides; code given with -c or on stdin is Python.",
           .set = set_text<&RunOptions::language>,
           .complete = Complete::kWords,
           .words = "python javascript typescript bash c cpp go java rust py js node ts sh shell",
           .group = "What to run"},
    Option{.name = "code",
           .short_name = 'c',
           .argument = "CODE",
           .help = "Run this code. Words after the options become its arguments.",
           .set = set_text<&RunOptions::code>},
    Option{.name = "image",
           .argument = "NAME",
           .help =
               "Run in this image (`atoll image`) instead of the host's system folders. Without "
               "a command, the image's own is run; its variables and its working folder count "
               "where no option says otherwise.",
           .set = set_text<&RunOptions::image>},
    Option{.name = "env",
           .short_name = 'e',
           .argument = "K=V",
           .help = "Set an environment variable; K alone takes the value from the caller. Nothing "
                   "else of the caller's environment is visible inside. Repeatable.",
           .set = add_text<&RunOptions::env>},
    Option{.name = "env-file",
           .argument = "FILE",
           .help =
               "Read K=V lines from a file; empty lines and lines that start with # are skipped. "
               "-e wins over it. Repeatable.",
           .set = add_text<&RunOptions::env_files>,
           .complete = Complete::kFile},
    Option{.name = "mount",
           .argument = "SRC:DST[:ro|rw]",
           .help = "Show a folder or file of the host at DST inside, read-only unless :rw is said. "
                   "Repeatable.",
           .set = add_text<&RunOptions::mounts>,
           .complete = Complete::kFolder},
    Option{.name = "workdir",
           .argument = "DIR",
           .help = "Folder inside to start in, an absolute path. Default: /workspace.",
           .set = set_text<&RunOptions::workdir>},
    Option{.name = "preload",
           .argument = "MODULES",
           .help =
               "Python with these modules loaded already (numpy,pandas; `none` for the bare "
               "interpreter): from a zygote that a server or an earlier run with the same list "
               "left, which takes milliseconds; without one as usual, and one is left for later "
               "runs. Needs root; it leaves after ten idle minutes.",
           .set = set_text<&RunOptions::preload>},
    Option{.name = "hostname",
           .argument = "NAME",
           .help = "Host name inside. Default: atoll.",
           .set = set_text<&RunOptions::hostname>},
    Option{.name = "backend",
           .argument = "NAME",
           .help = "The kind of walls; `atoll backends` lists them. Default: native.",
           .set = set_text<&RunOptions::backend>,
           .complete = Complete::kWords,
           .words = ATOLL_BACKEND_NAMES},

    Option{.name = "memory",
           .argument = "SIZE",
           .help = "Memory, without swap: 4m up to the host's. Beyond it the program is killed and "
                   "atoll exits 137. Default: 512m.",
           .set = set_parsed<&RunOptions::memory, parse_size>,
           .group = "Limits"},
    Option{.name = "cpus",
           .argument = "N",
           .help = "Processor time per second of wall clock, in cores: 0.01 up to the host's. "
                   "Default: 0.5.",
           .set = set_parsed<&RunOptions::cpu_milli, parse_milli>},
    Option{.name = "pids",
           .argument = "N",
           .help = "Processes and threads at one time: 2 up to the host's pid_max. Default: 100.",
           .set = set_parsed<&RunOptions::pids, parse_count>},
    Option{.name = "disk",
           .argument = "SIZE",
           .help = "What can be written in /workspace and /tmp together, from 64k; a full disk is "
                   "ENOSPC inside. Default: 256m, or half of --memory when that is less.",
           .set = set_parsed<&RunOptions::disk, parse_size>},
    Option{.name = "inodes",
           .argument = "N",
           .help = "Files and folders that can be made, from 16. Default: one per 4 KiB of disk.",
           .set = set_parsed<&RunOptions::inodes, parse_count>},
    Option{.name = "open-files",
           .argument = "N",
           .help = "Files a process can hold open: 16 up to the host's fs.nr_open. Default: 1024.",
           .set = set_parsed<&RunOptions::open_files, parse_count>},
    Option{.name = "timeout",
           .argument = "TIME",
           .help =
               "Kill everything after this time (500ms, 10s, 2m, 1h30m; up to 30d) and exit 124; "
               "0 means never. Default: 30s for code, 60s for a command, none with -t.",
           .set = set_parsed<&RunOptions::timeout, parse_duration>},
    Option{.name = "max-output",
           .argument = "SIZE",
           .help =
               "Keep this much of each output stream, up to 1g, and drop the rest. Default: 10m "
               "with -o json; text that is streamed has no cap unless this is given.",
           .set = set_parsed<&RunOptions::max_output, parse_size>},

    Option{
        .name = "net", .help = kNetHelp, .set = set_net<&RunOptions::network>, .group = "Network"},
    Option{.name = "allow-net",
           .argument = "RULE,…",
           .help = kAllowNetHelp,
           .set = add_of_network<&RunOptions::network, &NetworkOptions::allow>},
    Option{.name = "deny-net",
           .argument = "RULE,…",
           .help = kDenyNetHelp,
           .set = add_of_network<&RunOptions::network, &NetworkOptions::deny>},
    Option{.name = "secret",
           .argument = "NAME=SOURCE",
           .help = "Give the program a placeholder in this variable. On its way to the hosts of "
                   "--secret-host it becomes the value, in headers of HTTPS requests; the value "
                   "itself never enters the sandbox. SOURCE is @env:VAR or @file:PATH. Repeatable.",
           .set = add_of_network<&RunOptions::network, &NetworkOptions::secrets>},
    Option{.name = "secret-host",
           .argument = "NAME=HOST,…",
           .help = "The hosts that get the secret, which may be reached on port 443. Repeatable.",
           .set = add_of_network<&RunOptions::network, &NetworkOptions::secret_hosts>},

    Option{.name = "deny-read",
           .argument = "PATTERN",
           .help = "Paths inside that cannot be read, with everything below. In a pattern *, ? and "
                   "[] match "
                   "within a name, ** any number of folders; ~ and relative patterns start at "
                   "/workspace. Repeatable.",
           .set = add_text<&RunOptions::deny_read>,
           .group = "File system policy"},
    Option{.name = "allow-write",
           .argument = "PATTERN",
           .help =
               "Folders inside that can be written besides /workspace, /tmp and mounts with "
               ":rw. An empty folder of the sandbox's own lies over what was there, and is gone "
               "with the sandbox. Repeatable.",
           .set = add_text<&RunOptions::allow_write>},
    Option{.name = "deny-write",
           .argument = "PATTERN",
           .help = "Paths inside that cannot be written, whatever else allows it. Globs are "
                   "matched when the "
                   "sandbox is made; to cover what is made later, name the path or its folder. "
                   "Repeatable.",
           .set = add_text<&RunOptions::deny_write>},
    Option{.name = "writable-root",
           .help =
               "Let the program write in / as well, and in /etc, /opt, /var, /home and /srv. What "
               "it writes counts against --disk and is gone with the sandbox.",
           .set = set_flag<&RunOptions::writable_root>},

    Option{.name = "interactive",
           .short_name = 'i',
           .help = "Pass stdin on to the program. Without it the program's stdin is empty.",
           .set = set_flag<&RunOptions::interactive>,
           .group = "Input and output"},
    Option{.name = "tty",
           .short_name = 't',
           .help =
               "Give the program a terminal: with -i for shells and editors, resize, Ctrl-C and "
               "job control included.",
           .set = set_flag<&RunOptions::terminal>},
    Option{.name = "output",
           .short_name = 'o',
           .argument = "FORMAT",
           .help = "text streams the program's output as it comes, byte for byte; json prints one "
                   "object at the end. Default: text.",
           .set = set_parsed<&RunOptions::output, parse_output_format>,
           .complete = Complete::kWords,
           .words = "text json"},
    Option{.name = "quiet",
           .short_name = 'q',
           .help = "No warnings.",
           .set = set_flag<&RunOptions::quiet>},
    Option{.name = "verbose",
           .short_name = 'v',
           .help = "Say on stderr what is done, which walls are up, and the steps behind an error.",
           .set = set_flag<&RunOptions::verbose>},
    Option{.name = "color",
           .argument = "WHEN",
           .help = "auto, always or never. Default: auto, on a terminal and without NO_COLOR.",
           .set = set_parsed<&RunOptions::color, parse_color_mode>,
           .complete = Complete::kWords,
           .words = "auto always never"},
    Option{.name = "help",
           .short_name = 'h',
           .help = "Show this text.",
           .set = set_flag<&RunOptions::help>},
};

}  // namespace

std::span<const Option> run_option_table() { return kTable; }

Result<OutputFormat> parse_output_format(std::string_view value) {
  if (value == "text") return OutputFormat::kText;
  if (value == "json") return OutputFormat::kJson;
  return fail(Code::kInvalidArgument, "is neither text nor json");
}

Result<ColorMode> parse_color_mode(std::string_view value) {
  if (value == "auto") return ColorMode::kAuto;
  if (value == "always") return ColorMode::kAlways;
  if (value == "never") return ColorMode::kNever;
  return fail(Code::kInvalidArgument, "must be auto, always or never");
}

Result<void> parse_run_options(std::span<const std::string_view> arguments, RunOptions& options) {
  ATOLL_TRY(ParseResult parsed, parse_options(arguments, kTable, &options));
  options.separated = parsed.separated;
  for (std::string_view argument : arguments.subspan(parsed.rest)) {
    options.arguments.emplace_back(argument);
  }
  return {};
}

}  // namespace atl::cli
