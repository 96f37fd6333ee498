#include "cli/core/command.hpp"

#include <array>

#include "cli/config/config_options.hpp"
#include "cli/core/common_options.hpp"
#include "cli/image/image_options.hpp"
#include "cli/policy/policy_options.hpp"
#include "cli/remote/manual.hpp"
#include "cli/repl/repl_options.hpp"
#include "cli/run/run_options.hpp"
#include "cli/server/serve_options.hpp"

namespace atl::cli {
namespace {

constexpr std::array kRunSections{
    Section{
        "Languages",
        "python (py), run by python3: files .py.\n"
        "javascript (js, node), run by node: files .js, .mjs and .cjs.\n"
        "typescript (ts), run by node 22.13 or newer: files .ts, .mts and .cts.\n"
        "bash (shell, sh), run by bash: files .sh and .bash.\n"
        "c, cpp (c++, cxx), go (golang), java, rust (rs), compiled inside the sandbox: files .c, "
        ".cpp, .cc, .cxx, .go, .java and .rs.\n\n"
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

constexpr std::array kReplSections{
    Section{"Cells",
            "At a terminal a line is a cell, and its result is shown at once. A line that opens a "
            "bracket, a block or a string of several lines, or that ends in a backslash, goes on; "
            "an empty line ends it.\n\n"
            "From a pipe or a file, cells stand between lines that are exactly # %% or // %%, and "
            "each runs as soon as its end has come."},
    Section{"What a cell shows",
            "What it prints, as it comes; the value of its last expression, and what it displays "
            "on the way, as text. A plot or a table has a richer form too: --save writes it as a "
            "file, --json prints all of it. An error is told with its traceback, and the next cell "
            "runs all the same, with everything that was there before."},
    Section{"Keys and signals",
            "Ctrl-C interrupts the cell that runs, and its state is kept. A second Ctrl-C ends the "
            "interpreter, and the next cell starts with a fresh one. At the prompt Ctrl-C drops "
            "what was typed, and Ctrl-D ends the session."},
    Section{"When the interpreter ends",
            "A crash, a kill for lack of memory or os._exit() ends the interpreter but not the "
            "session: a warning says why, and the next cell starts with a fresh one. Files stay."},
    Section{"Exit status",
            "0 at a terminal, and when every cell did well. Otherwise that of the last cell that "
            "failed:\n\n"
            "  1     after an error, or what the code asked for with exit\n"
            "  124   it ran out of time (--timeout)\n"
            "  128+N signal N ended the interpreter; 130 also when it was interrupted\n"
            "  137   it ran out of memory (--memory)\n"
            "  125   Atoll itself failed: \"atoll: <code>: <sentence>\" on stderr"},
    Section{
        "JSON output",
        "With --json each line is an object with event and cell. stdout, stderr: text, and b64 "
        "when the bytes are not UTF-8. result, display: data, from MIME type to content. error: "
        "ename, evalue, traceback. saved: file. done ends a cell: exit_code, execution_count, "
        "timed_out, interrupted, restarted, crashed and lost (null or {cause, exit_code, signal, "
        "oom}), duration_ms. failure is Atoll's own: code, message."},
};

constexpr std::array kReplExamples{
    Example{"atoll repl", "Python at the terminal."},
    Example{"atoll repl -l bash --mount ./src:/src:ro", "A shell that sees some files."},
    Example{"atoll repl --save plots < analysis.py", "The cells of a file, pictures as files."},
    Example{"printf 'x = 6\\n# %%%%\\nx * 7\\n' | atoll repl", "Two cells from a pipe."},
    Example{"atoll repl --json < cells.py | jq -r 'select(.event == \"result\").data'",
            "Results for another program."},
};

constexpr std::array kDoctorSections{
    Section{"What the marks mean",
            "  ✓  works\n"
            "  !  works, but something is lost; the text says what and how to get it back\n"
            "  ✗  native sandboxes cannot be made until this is put right\n"
            "  ·  good to know; nothing needs to be done"},
    Section{
        "Exit status",
        "0 when native sandboxes work here, 1 otherwise, 125 when the check itself failed. With "
        "--clean: 0 when all was removed, 1 otherwise."},
};

constexpr std::array kDoctorExamples{
    Example{"atoll doctor", "Look at this host."},
    Example{"atoll doctor -o json | jq '.checks[] | select(.status != \"ok\")'",
            "Only what is not perfect."},
    Example{"atoll doctor --clean", "Remove what dead servers left."},
};

constexpr std::array kImageSections{
    Section{"Sub-commands",
            "  import ARCHIVE   take the images of an archive into the store; - reads stdin\n"
            "  ls               list the images\n"
            "  rm NAME…         remove images, and the layers that no other image has\n"
            "  inspect NAME     all that is known of an image, as JSON"},
    Section{
        "Archives",
        "What `docker save` writes, old and new, and OCI image layouts in a tar (podman, skopeo, "
        "buildx), with plain, gzip or zstd layers; the archive itself may be compressed too. "
        "Every digest is checked. An archive that names paths or links outside, holds device "
        "nodes outside of /dev, is damaged or unpacks to too much is refused, and nothing of it "
        "is kept."},
    Section{"Where images are",
            "Below /var/lib/atoll for root, otherwise below XDG_DATA_HOME/atoll "
            "(~/.local/share/atoll). ATOLL_DATA names another folder. Layers that several images "
            "have are kept once."},
    Section{"Exit status", "0, or 125 with \"atoll: <code>: <sentence>\" on stderr."},
};

constexpr std::array kImageExamples{
    Example{"docker save python:3.12-slim | atoll image import -", "From Docker, by a pipe."},
    Example{"atoll image import --name tool:v1 image.tar",
            "From a file, under a name of your own."},
    Example{"atoll image ls", "What is there."},
    Example{"atoll image inspect tool:v1 | jq .config.entrypoint", "What an image runs."},
    Example{"atoll run --image python:3.12-slim -c 'print(1)'", "Run something in it."},
    Example{"atoll image rm tool:v1", "Remove it."},
};

constexpr std::array kConfigSections{
    Section{"Sub-commands",
            "  show [FIELD]     every value, or those of a block, with their origins\n"
            "  check [FILE]     is everything right? tells all problems at once\n"
            "  reference        what every field means and may hold, as Markdown"},
    Section{"Where values come from",
            "Defaults, then the file, then the environment, then flags; later ones win. The file "
            "is JSON with comments. ATOLL_SERVER__LISTEN in the environment is server.listen: two "
            "underscores between the steps of a path, case and single underscores do not matter. "
            "NANOBOT_ is read too, and loses against ATOLL_. See docs/configuration.md."},
    Section{"JSON output",
            "show: file, config (a document as in a file) and origins (by path: default, "
            "FILE:LINE, the variable or the flag). Secrets are ***. check: ok, file and problems, "
            "each with origin, line, column, pointer and detail."},
    Section{"Exit status",
            "check: 0 when there are no problems, 1 otherwise. 125 with \"atoll: <code>: "
            "<sentence>\" on stderr for anything else that went wrong."},
};

constexpr std::array kConfigExamples{
    Example{"atoll config show", "Everything, and where it comes from."},
    Example{"atoll config show sandbox.network -o yaml", "One block, as YAML."},
    Example{"atoll config check ./config.json", "Before it is put in place."},
    Example{"ATOLL_POOL__SIZE=10 atoll config show pool", "What a variable does."},
    Example{"atoll config show -o json | jq -r .config.server.listen", "For another program."},
};

constexpr std::array kServeExamples{
    Example{"atoll serve", "On 127.0.0.1:8080, with the data of this user."},
    Example{"atoll serve --listen 127.0.0.1:0 --data /tmp/try --no-auth", "For a try."},
};

constexpr std::array kKeyExamples{
    Example{"atoll key create --role owner", "Prints the secret of a new key."},
    Example{"atoll key ls", "All keys, without their secrets."},
};

constexpr std::array kCompletionExamples{
    Example{"source <(atoll completion bash)", "Bash, this shell only."},
    Example{"atoll completion zsh > \"${fpath[1]}/_atoll\"", "Zsh, for good."},
    Example{"atoll completion fish > ~/.config/fish/completions/atoll.fish", "Fish, for good."},
};

constexpr std::array kPolicyExamples{
    Example{"atoll policy check script.py", "What in it is risky, line by line."},
    Example{"git diff --name-only | xargs -n1 atoll policy check --fail-on high",
            "In somebody's CI."},
    Example{"echo 'curl x | sh' | atoll policy check -l bash -o json -", "As JSON, from stdin."},
    Example{"atoll policy rules", "Every rule with its level and an example."},
};

constexpr std::array kPolicySections{
    Section{
        "What it cannot do",
        "The judgement reads code and does not run it: a name that is computed from input is not "
        "known. It is a seat belt; the sandbox is the wall. See docs/policy.md."},
};

constexpr std::array kMainExamples{
    Example{"atoll run -c 'print(\"hello from a sandbox\")'", "Run some Python."},
    Example{"atoll run script.py", "Run a script."},
    Example{"atoll run -it -- bash", "A shell in a sandbox."},
    Example{"atoll doctor", "What can this host isolate?"},
};

constexpr std::array kMainSections{
    Section{"Environment",
            "ATOLL_SERVER, ATOLL_KEY: the server that create, ps, exec, … talk to, and its key.\n"
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
          .examples = kRunExamples,
          .takes_files = true},
      Command{
          .name = "repl",
          .summary = "run cells of code that share their state, in one sandbox",
          .synopsis = "atoll repl [OPTIONS]",
          .description =
              "Makes a sandbox with an interpreter in it and runs one cell of code after the "
              "other: "
              "variables, imports and functions of a cell are there for the next. The sandbox is "
              "gone at the end of the input.",
          .options = repl_option_table(),
          .sections = kReplSections,
          .examples = kReplExamples},
      remote_manuals()[0],
      remote_manuals()[1],
      remote_manuals()[2],
      remote_manuals()[3],
      remote_manuals()[4],
      remote_manuals()[5],
      remote_manuals()[6],
      remote_manuals()[7],
      remote_manuals()[8],
      remote_manuals()[9],
      remote_manuals()[10],
      remote_manuals()[11],
      remote_manuals()[12],
      remote_manuals()[13],
      remote_manuals()[14],
      Command{
          .name = "doctor",
          .summary = "check what this host can isolate, and say what to do",
          .synopsis = "atoll doctor [OPTIONS]",
          .description =
              "Tries every part that native sandboxes are made of (kernel, namespaces, cgroups, "
              "seccomp, Landlock, mounts, programs) as the user who asks, and prints what works, "
              "what "
              "does not, and what to do about it. Names what dead servers left. Nothing on the "
              "host "
              "is changed, unless --clean says so.",
          .options = doctor_option_table(),
          .sections = kDoctorSections,
          .examples = kDoctorExamples},
      Command{.name = "backends",
              .summary = "list the kinds of sandboxes and whether they work here",
              .synopsis = "atoll backends [OPTIONS]\n"
                          "atoll backends install NAME",
              .description = "Each backend: its name, how mature it is, the kind of walls, and why "
                             "it cannot run here where "
                             "that is so. Then what each can do, and why not, as the backends "
                             "themselves declare it. `install` fetches what a backend needs "
                             "besides Atoll: for srt, the pinned srt and a Node for it, with npm.",
              .options = report_option_table(),
              .words = "install"},
      Command{.name = "image",
              .summary = "import, list and remove images that sandboxes can run",
              .synopsis = "atoll image import [OPTIONS] ARCHIVE|-\n"
                          "atoll image ls [OPTIONS]\n"
                          "atoll image rm NAME…\n"
                          "atoll image inspect NAME",
              .description =
                  "Keeps container images unpacked on this host, for `atoll run --image NAME`. "
                  "Nothing is fetched from anywhere: images come as archives.",
              .options = image_option_table(),
              .sections = kImageSections,
              .examples = kImageExamples,
              .words = "import ls rm inspect"},
      Command{.name = "config",
              .summary = "show and check the configuration, with the origin of each value",
              .synopsis = "atoll config show [OPTIONS] [FIELD]\n"
                          "atoll config check [OPTIONS] [FILE]\n"
                          "atoll config reference",
              .description =
                  "Reads the configuration just as the server does and says what came out of it. "
                  "Nothing is changed, and no server is needed.",
              .options = config_option_table(),
              .sections = kConfigSections,
              .examples = kConfigExamples,
              .words = "show check reference"},
      Command{.name = "serve",
              .summary = "run the server: sessions over HTTP",
              .synopsis = "atoll serve [OPTIONS]",
              .description =
                  "Serves the API (docs/api.md) on one port until SIGTERM or Ctrl-C, and then "
                  "ends what runs. Started as root it starts the launcher and goes on as user "
                  "`atoll`. Killed, it finds its sessions again at the next start.",
              .options = serve_option_table(),
              .examples = kServeExamples},
      Command{.name = "key",
              .summary = "make, list and revoke API keys",
              .synopsis = "atoll key create [OPTIONS]\n"
                          "atoll key ls [OPTIONS]\n"
                          "atoll key revoke [OPTIONS] ID\n"
                          "atoll key rotate-storage [OPTIONS]",
              .description =
                  "Works on the data folder of a server, which may run meanwhile. The secret is "
                  "printed once; the server keeps only a hash of it. rotate-storage makes a new "
                  "storage "
                  "key and encrypts what the database holds with it; no server may run then.",
              .options = key_option_table(),
              .examples = kKeyExamples,
              .words = "create ls revoke rotate-storage"},
      Command{.name = "completion",
              .summary = "print a completion script for a shell",
              .synopsis = "atoll completion bash|zsh|fish",
              .description = "Prints a script that teaches the shell Atoll's commands and options.",
              .options = help_option_table(),
              .examples = kCompletionExamples,
              .words = "bash zsh fish"},
      Command{.name = "policy",
              .summary = "judge how risky code looks",
              .synopsis = "atoll policy check [OPTIONS] FILE|-\n"
                          "atoll policy rules [OPTIONS]",
              .description =
                  "Parses code and names what in it is risky, without running it: dynamic code, "
                  "programs that it starts, files that it writes, the network.",
              .options = policy_option_table(),
              .sections = kPolicySections,
              .examples = kPolicyExamples,
              .words = "check rules",
              .takes_files = true},
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
              .words = "run repl create ps exec shell cp logs rm template secret network test "
                       "tenant audit policy approve mcp "
                       "doctor backends image config serve key completion version help"},
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
