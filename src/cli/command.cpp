#include "cli/command.hpp"

#include <array>

#include "cli/common_options.hpp"
#include "cli/run_options.hpp"

namespace atl::cli {
namespace {

constexpr std::array kRunSections{
    Section{"Languages",
            "python (py), run by python3: files .py.\n"
            "javascript (js, node), run by node: files .js and .mjs.\n"
            "bash (shell, sh), run by bash: files .sh and .bash.\n\n"
            "A script is put into /workspace under its own name (into /tmp when a mount covers "
            "/workspace) and runs with /workspace as its working folder. Code and scripts may be "
            "64 MiB."},
    Section{
        "What a program finds inside",
        "The host's system folders (/usr, /lib, /bin and the like), read-only; a small /etc made "
        "by "
        "Atoll; an empty writable /workspace and /tmp; its own /proc; no network; no file of the "
        "caller but those named by --mount. It runs as a user of its own without any capability, "
        "and everything is gone when it ends."},
    Section{
        "Signals",
        "SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 sent to atoll are passed on to the "
        "program's process group. A second SIGINT kills it. With -t, Ctrl-C and Ctrl-Z are keys "
        "that the terminal inside handles."},
    Section{
        "Exit status",
        "  the program's own, 128+N when signal N ended it\n"
        "  124   it ran out of time (--timeout)\n"
        "  125   Atoll itself failed: \"atoll: <code>: <sentence>\" on stderr\n"
        "  126   the program cannot be executed\n"
        "  127   there is no such program inside\n"
        "  137   it ran out of memory (--memory)\n\n"
        "Asking for a limit that this host cannot enforce fails with 125 limit_unenforceable. A "
        "default that it cannot enforce is one warning on stderr."},
    Section{
        "JSON output",
        "With -o json one object is printed when the program has ended: exit_code (what atoll "
        "exits "
        "with), stdout, stderr, duration_ms, cpu_ms, max_rss (bytes), oom, timed_out, truncated, "
        "isolation {layers, missing} and error, which is null or {code, message}. Bytes that are "
        "not UTF-8 show as U+FFFD; stdout_b64 or stderr_b64 then hold the exact ones. It is "
        "indented on a terminal and one line otherwise."},
};

constexpr std::array kRunExamples{
    Example{"atoll run -- ls -la /", "A command."},
    Example{"atoll run script.py input.txt", "A script; the suffix names the language."},
    Example{"atoll run -c 'print(6 * 7)'", "Some Python."},
    Example{"echo 'console.log(1)' | atoll run -l js -", "Code from stdin."},
    Example{"atoll run -i -- sort < names.txt", "A program that reads stdin."},
    Example{"atoll run -it -- bash", "A shell in a sandbox."},
    Example{"atoll run --memory 256m --cpus 0.5 --pids 64 --timeout 10s job.py", "Tighter limits."},
    Example{"atoll run --mount ./data:/data:ro --mount ./out:/out:rw job.py", "Files of the host."},
    Example{"atoll run -o json -c 'print(1)' | jq .duration_ms", "A result for another program."},
};

constexpr std::array kDoctorSections{
    Section{"What the marks mean",
            "  ✓  works\n"
            "  !  works, but something is lost; the text says what and how to get it back\n"
            "  ✗  native sandboxes cannot be made until this is put right"},
    Section{"Exit status",
            "0 when native sandboxes work here, 1 otherwise, 125 when the check itself failed."},
};

constexpr std::array kDoctorExamples{
    Example{"atoll doctor", "Look at this host."},
    Example{"atoll doctor -o json | jq '.checks[] | select(.status != \"ok\")'",
            "Only what is not perfect."},
};

constexpr std::array kCompletionExamples{
    Example{"source <(atoll completion bash)", "Bash, this shell only."},
    Example{"atoll completion zsh > \"${fpath[1]}/_atoll\"", "Zsh, for good."},
    Example{"atoll completion fish > ~/.config/fish/completions/atoll.fish", "Fish, for good."},
};

constexpr std::array kMainExamples{
    Example{"atoll run -c 'print(\"hello from a sandbox\")'", "Run some Python."},
    Example{"atoll run script.py", "Run a script."},
    Example{"atoll run -it -- bash", "A shell in a sandbox."},
    Example{"atoll doctor", "What can this host isolate?"},
};

constexpr std::array kMainSections{
    Section{"Environment",
            "NO_COLOR: when set and not empty, no colours.\n"
            "COLUMNS is not read: the terminal says how wide it is."},
};

}  // namespace

const Command& main_command() {
  static const Command kMain{
      .name = "",
      .summary = "isolated places to run code",
      .synopsis = "atoll COMMAND [OPTIONS]",
      .description =
          "Atoll runs code and commands in sandboxes: no network, no files but those you "
          "give, hard limits on memory, processor, processes, disk and time. A sandbox is "
          "made in milliseconds and gone when its program ends.",
      .options = main_option_table(),
      .sections = kMainSections,
      .examples = kMainExamples};
  return kMain;
}

std::span<const Command> commands() {
  static const std::array kCommands{
      Command{
          .name = "run",
          .summary = "run a command, a script or code in a sandbox",
          .synopsis = "atoll run [OPTIONS] [--] PROGRAM [ARG…]\n"
                      "atoll run [OPTIONS] SCRIPT [ARG…]\n"
                      "atoll run [OPTIONS] -c CODE [ARG…]\n"
                      "atoll run [OPTIONS] - [ARG…]",
          .description =
              "Makes a sandbox, runs one program in it, passes its output and its exit status on, "
              "and "
              "takes the sandbox down. The first word that is not an option ends the options; what "
              "follows belongs to the program. A word with the suffix of a known language is a "
              "script "
              "of the host, - is code on stdin, anything else is a program inside; after -- it is "
              "a "
              "program in any case.",
          .options = run_option_table(),
          .sections = kRunSections,
          .examples = kRunExamples},
      Command{
          .name = "doctor",
          .summary = "check what this host can isolate, and say what to do",
          .synopsis = "atoll doctor [OPTIONS]",
          .description =
              "Tries every part that native sandboxes are made of (kernel, namespaces, cgroups, "
              "seccomp, Landlock, mounts, programs) as the user who asks, and prints what works, "
              "what "
              "does not, and what to do about it. Nothing on the host is changed.",
          .options = report_option_table(),
          .sections = kDoctorSections,
          .examples = kDoctorExamples},
      Command{.name = "backends",
              .summary = "list the kinds of sandboxes and whether they work here",
              .synopsis = "atoll backends [OPTIONS]",
              .description =
                  "One line for each backend: its name, how mature it is, the kind of walls, "
                  "what it can do, and why it cannot run here where that is so.",
              .options = report_option_table()},
      Command{.name = "completion",
              .summary = "print a completion script for a shell",
              .synopsis = "atoll completion bash|zsh|fish",
              .description = "Prints a script that teaches the shell Atoll's commands and options.",
              .options = help_option_table(),
              .examples = kCompletionExamples,
              .words = "bash zsh fish"},
      Command{.name = "version",
              .summary = "print the version",
              .synopsis = "atoll version",
              .description = "Prints the version of Atoll.",
              .options = help_option_table()},
      Command{.name = "help",
              .summary = "explain a command",
              .synopsis = "atoll help [COMMAND]",
              .description = "Shows the manual of a command, as COMMAND --help does.",
              .options = docs_option_table(),
              .words = "run doctor backends completion version help"},
  };
  return kCommands;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace atl::cli
