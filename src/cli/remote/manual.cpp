#include "cli/remote/manual.hpp"

#include <array>

#include "cli/remote/options.hpp"

namespace atl::cli {
namespace {

constexpr Section kServerSection{"Which server",
                                 "--server, else ATOLL_SERVER, else http://127.0.0.1:8080. The key "
                                 "is --key, else ATOLL_KEY, else "
                                 "for a server on this machine the one that ./dev up left beside "
                                 "the build. A session is named by "
                                 "its id or by a beginning of it that no other has."};

constexpr Section kOwnExit{"Exit status",
                           "0, or 125 with \"atoll: <code>: <sentence>\" on stderr."};

constexpr std::array kPlainSections{kServerSection, kOwnExit};

constexpr std::array kPsExamples{
    Example{"atoll ps", "What lives."},
    Example{"atoll ps --label purpose=test --status ready", "Only some."},
    Example{"atoll rm $(atoll ps -q --template shell-default)", "Ids for another command."},
    Example{"atoll ps -a -o json | jq '.sessions | length'", "All that the server remembers."},
};

constexpr std::array kCreateSections{
    Section{"What is printed",
            "The id alone, so that it fits into a variable; at a terminal a table. With -o json or "
            "-o yaml, what the server answered."},
    kServerSection, kOwnExit};

constexpr std::array kCreateExamples{
    Example{"S=$(atoll create)", "A Python session, for the lines that follow."},
    Example{"atoll create shell-default --timeout 1h --label purpose=build", "One that stays."},
    Example{"atoll create -e TOKEN --memory 256m", "With a variable of yours and less memory."},
};

constexpr std::array kExecSections{
    Section{"What runs",
            "A program with its arguments. With --language or --context the word behind SESSION is "
            "code, and - is code on stdin; -c gives it as an option. In a context, variables stay "
            "for the next execution, and the value of the last expression is printed."},
    Section{"Signals",
            "Ctrl-C and SIGTERM interrupt the execution; what does not listen is killed after two "
            "seconds. A second Ctrl-C leaves at once. When the connection is cut, the execution "
            "goes on, and its output is taken up where it was."},
    Section{"Exit status",
            "  the program's own, 128+N when signal N ended it\n"
            "  124   it ran out of time (--timeout)\n"
            "  125   Atoll itself failed: \"atoll: <code>: <sentence>\" on stderr\n"
            "  126   the program cannot be executed\n"
            "  127   there is no such program inside\n"
            "  137   it ran out of memory"},
    kServerSection};

constexpr std::array kExecExamples{
    Example{"atoll exec $S -- ls -la", "A program."},
    Example{"atoll exec $S -c 'print(6 * 7)'", "Some Python."},
    Example{"atoll exec $S --context default -c 'x = 20'", "Code that remembers."},
    Example{"atoll exec $S -i -- sort < names.txt", "A program that reads stdin."},
    Example{"atoll exec $S -d -- make all", "In the background; atoll logs -f shows it."},
    Example{"atoll exec $S -o json -- make | jq .duration_ms", "The result for another program."},
};

constexpr std::array kShellSections{
    Section{
        "Keys and signals",
        "Every key goes to the terminal inside, Ctrl-C and Ctrl-Z too. Leave with exit or Ctrl-D. "
        "When the connection is cut, what runs in the terminal gets SIGHUP."},
    Section{"Exit status", "That of the shell, or 125 with a sentence on stderr."}, kServerSection};

constexpr std::array kShellExamples{
    Example{"atoll shell $S", "A shell in the session."},
    Example{"atoll shell $S -c python3", "Another program at a terminal."},
};

constexpr std::array kCpSections{
    Section{
        "Paths",
        "SESSION:PATH is inside: relative to /workspace, or absolute below /workspace or /tmp. "
        "Anything else is a file or folder here; write ./a:b for a name with a colon, and - for "
        "stdin or stdout. Into a folder that exists, things go under their own name."},
    Section{
        "Folders",
        "Are copied with what is in them: files, folders and symbolic links. A link that leads out "
        "of the folder is left out, and a warning says so; into a session, so are empty folders. "
        "A folder that is copied out never goes into one of that name that exists. FOLDER/. means "
        "what is in it."},
    Section{"When it breaks off",
            "A file, or a folder that is copied out, appears only when all of it is there."},
    kServerSection, kOwnExit};

constexpr std::array kCpExamples{
    Example{"atoll cp data.csv $S:", "A file into the workspace."},
    Example{"atoll cp $S:plots/a.png .", "And one back."},
    Example{"atoll cp ./src $S:src", "A folder."},
    Example{"tar c . | atoll cp - $S:/tmp/all.tar", "From a pipe."},
    Example{"atoll cp $S:results - | tar t", "A folder as a tar archive."},
};

constexpr std::array kLogsSections{
    Section{
        "What is shown",
        "The output of an execution, stdout and stderr apart as they were. A session stands for "
        "its latest execution. With -f it goes on until the execution ends, also over a restart "
        "of the server. With -o json or -o yaml, the whole result as the server has it."},
    kServerSection, kOwnExit};

constexpr std::array kLogsExamples{
    Example{"atoll logs $S", "What ran last in a session."},
    Example{"atoll logs -f $(atoll exec -d $S -- make all)", "One execution, as it goes on."},
};

constexpr std::array kRmExamples{
    Example{"atoll rm $S", "One session."},
    Example{"atoll rm --all --label purpose=test", "Some; asks first."},
    Example{"atoll rm --all --yes", "All of yours."},
};

constexpr std::array kTemplateSections{
    Section{"Sub-commands",
            "  ls               list the templates\n"
            "  show ID          all of one, as YAML\n"
            "  create FILE      make one from a JSON document; - reads stdin\n"
            "  rm ID…           remove some"},
    Section{"The document",
            "As /docs of a running server has it: id, and what differs from the defaults of image, "
            "resources, security, env, preload, pool, ttl and more. Making and removing templates "
            "takes a key with the role admin; the server's own ones take an owner."},
    kServerSection, kOwnExit};

constexpr std::array kTemplateExamples{
    Example{"atoll template ls", "What there is."},
    Example{"atoll template show python-default", "One of them."},
    Example{"echo '{\"id\": \"mine\", \"pool\": 10}' | atoll template create -", "A new one."},
    Example{"atoll template rm mine", "And its end."},
};

constexpr std::array kSecretSections{
    Section{"Sub-commands",
            "  set NAME [FROM]  make one, or replace its value\n"
            "  ls               list the names\n"
            "  rm NAME…         remove some; one that a live session uses stays"},
    Section{"The value",
            "Comes from stdin, from a variable (@env:VAR) or from a file (@file:PATH), up to 64 "
            "KiB; one line break at its end is dropped. It is never an argument: other users of "
            "this machine see those. Setting and removing takes a key with the role admin."},
    kServerSection, kOwnExit};

constexpr std::array kSecretExamples{
    Example{"atoll secret set api-token @env:API_TOKEN", "From a variable of yours."},
    Example{"pass show api | atoll secret set api-token", "From another program."},
    Example{"atoll secret ls", "Names, never values."},
    Example{"atoll secret rm api-token", "And its end."},
};

constexpr std::array kNetworkSections{
    Section{"The document",
            "default (deny or allow), rules (the first that matches decides), allow_private, "
            "headers, secrets, no_intercept and preset: see docs/network.md. It never allows more "
            "than the template does."},
    kServerSection, kOwnExit};

constexpr std::array kNetworkExamples{
    Example{"atoll network $S", "What the session may reach."},
    Example{"echo '{}' | atoll network --set - $S", "Take the network away again."},
};

constexpr std::array kApproveSections{
    Section{"What it does",
            "  (nothing)        at a terminal: show what waits, one by one, and decide by\n"
            "                   a key: y, n, s(kip), q(uit); elsewhere the same as ls\n"
            "  ls               list what waits\n"
            "  show ID          who asks for what, with the findings marked in the code\n"
            "  ID…              approve these, or reject them with --reject"},
    Section{"Who may",
            "Keys with the role owner, admin or approver; never the key that asked. What nobody "
            "decides on in time (approvals.timeout of the server) is rejected."},
    kServerSection, kOwnExit};

constexpr std::array kApproveExamples{
    Example{"atoll approve", "Decide on what waits, by keys."},
    Example{"atoll approve ls -o json | jq -r '.approvals[].id'", "Ids for a script."},
    Example{"atoll approve $E --reason 'reviewed' --remember 10m", "Approve, also for repeats."},
    Example{"atoll approve --reject $E --reason 'reads the password file'", "Reject."},
};

constexpr std::array kTestSections{
    Section{"What is run",
            "FILE becomes code/solution.* in a session. Cases are compared by the server. A test "
            "file runs in a sandbox of its own, where nothing of FILE runs: functions of "
            "`solution` are carried out in the session and give plain data back, so code that is "
            "wrong cannot make a test pass. docs/test-runs.md says more."},
    Section{"Exit status",
            "0 when at least one test passed and none failed, 1 otherwise, or 125 with \"atoll: "
            "<code>: <sentence>\" on stderr."},
    kServerSection};

constexpr std::array kTestExamples{
    Example{"atoll test --with test_solution.py solution.py", "With pytest."},
    Example{"atoll test --cases cases.json --timeout 10s solution.js", "Input and output."},
    Example{"atoll test --with t.py --session $S -o json s.py | jq .failures", "For a program."},
};

constexpr std::array kTenantSections{
    Section{"Sub-commands",
            "  show NAME              what a tenant may use, and what it uses now\n"
            "  set NAME QUOTA=N…      change quotas; the others stay; `none` removes one"},
    Section{"Quotas",
            "sessions, executions (that run or wait), cpu (cores), memory_mb, disk_mb, snapshots, "
            "requests_per_second, executions_per_day. A request beyond one is refused with "
            "quota_exceeded. Setting takes a key with the role owner."},
    kServerSection, kOwnExit};

constexpr std::array kTenantExamples{
    Example{"atoll tenant set acme sessions=20 cpu=4", "At most so much at a time."},
    Example{"atoll tenant set acme cpu=none", "As much as the server has."},
    Example{"atoll tenant show acme", "And what it uses."},
};

constexpr std::array kAuditSections{
    Section{"Sub-commands",
            "  tail            what was done last in your tenant, the newest at the end\n"
            "  export          every row of all tenants as a line of JSON, with its hash\n"
            "  verify [FILE]   whether a row was changed, moved or removed; of a FILE that\n"
            "                  export wrote, without a server"},
    Section{"The chain",
            "Every row has a hash over itself and the row before it. verify names the first row "
            "that is wrong. A tail that was cut off is found by the checkpoints that "
            "audit.checkpoint of the server's configuration asks for. tail takes a key with the "
            "role admin, export and verify one with the role owner."},
    Section{"Exit status",
            "verify: 0 when the chain is whole, 1 when it is not. Otherwise 0, or 125 with "
            "\"atoll: <code>: <sentence>\" on stderr."},
    kServerSection};

constexpr std::array kAuditExamples{
    Example{"atoll audit tail -f", "As it happens."},
    Example{"atoll audit export > audit.ndjson", "A copy for elsewhere."},
    Example{"atoll audit verify audit.ndjson", "And a look at it."},
};

constexpr std::array kMcpSections{
    Section{"Clients",
            "In the configuration of a client, one entry is all there is to write:\n\n"
            "  {\"mcpServers\": {\"atoll\": {\"command\": \"atoll\", \"args\": [\"mcp\"]}}}\n\n"
            "docs/quickstart/mcp.md has it for several of them. A client that speaks HTTP needs no "
            "such command: it talks to /mcp of a server (atoll serve), with its key."},
    Section{"Sandboxes",
            "Every tool works in a sandbox of this process unless it names another one. It is made "
            "when it is first needed, and ends with the process."},
    Section{"A server of its own",
            "Listens on a free port of 127.0.0.1 and lets nobody in but this process, by a key "
            "that no other has. Its log goes to standard error."},
    Section{"Exit status",
            "0 when standard input has ended, or 125 with \"atoll: <code>: <sentence>\" on "
            "stderr."}};

constexpr std::array kMcpExamples{
    Example{"claude mcp add atoll -- atoll mcp", "For Claude Code."},
    Example{"atoll mcp --server http://127.0.0.1:8080", "With a server that runs."},
    Example{"ATOLL_SERVER=https://atoll.example ATOLL_KEY=… atoll mcp", "With one elsewhere."},
};

}  // namespace

std::span<const Command, 15> remote_manuals() {
  static const std::array kManuals{
      Command{.name = "create",
              .summary = "make a session on a server",
              .synopsis = "atoll create [OPTIONS] [TEMPLATE]",
              .description =
                  "A session is a sandbox that stays, with its files and processes, until it is "
                  "removed or its time is up. Without a TEMPLATE it is python-default.",
              .options = create_option_table(),
              .sections = kCreateSections,
              .examples = kCreateExamples},
      Command{.name = "ps",
              .summary = "list the sessions of a server",
              .synopsis = "atoll ps [OPTIONS]",
              .description = "One line a session, the newest first.",
              .options = ps_option_table(),
              .sections = kPlainSections,
              .examples = kPsExamples},
      Command{.name = "exec",
              .summary = "run a program or code in a session",
              .synopsis = "atoll exec SESSION [OPTIONS] [--] PROGRAM [ARG…]\n"
                          "atoll exec SESSION [OPTIONS] -c CODE\n"
                          "atoll exec SESSION [OPTIONS] -l LANGUAGE|--context NAME CODE|-",
              .description =
                  "Runs it inside, passes its output on as it comes, and exits as it did. The "
                  "result stays on the server: see atoll logs.",
              .options = exec_option_table(),
              .sections = kExecSections,
              .examples = kExecExamples},
      Command{.name = "shell",
              .summary = "a terminal in a session",
              .synopsis = "atoll shell SESSION [OPTIONS]",
              .description = "Connects this terminal to a shell inside of the session.",
              .options = shell_option_table(),
              .sections = kShellSections,
              .examples = kShellExamples},
      Command{.name = "cp",
              .summary = "copy files into a session and out of it",
              .synopsis = "atoll cp [OPTIONS] SOURCE|- SESSION:[PATH]\n"
                          "atoll cp [OPTIONS] SESSION:[PATH] TARGET|-",
              .description =
                  "Copies a file or a folder. What takes long shows how far it is, at a terminal.",
              .options = cp_option_table(),
              .sections = kCpSections,
              .examples = kCpExamples,
              .takes_files = true},
      Command{.name = "logs",
              .summary = "show the output of an execution",
              .synopsis = "atoll logs [OPTIONS] EXECUTION|SESSION",
              .description = "Prints what an execution has written, while it runs and afterwards.",
              .options = logs_option_table(),
              .sections = kLogsSections,
              .examples = kLogsExamples},
      Command{.name = "rm",
              .summary = "remove sessions",
              .synopsis = "atoll rm [OPTIONS] SESSION…\n"
                          "atoll rm [OPTIONS] --all",
              .description =
                  "Ends what runs in them and removes their sandboxes. Results are kept as long as "
                  "the server keeps them. Prints the ids of those that are gone.",
              .options = rm_option_table(),
              .sections = kPlainSections,
              .examples = kRmExamples},
      Command{.name = "template",
              .summary = "list, make and remove templates",
              .synopsis = "atoll template ls|show|create|rm [OPTIONS] [WORD…]",
              .description = "A template is what sessions are made from.",
              .options = template_option_table(),
              .sections = kTemplateSections,
              .examples = kTemplateExamples,
              .words = "ls show create rm"},
      Command{.name = "secret",
              .summary = "set, list and remove secrets",
              .synopsis = "atoll secret set [OPTIONS] NAME [@env:VAR|@file:PATH]\n"
                          "atoll secret ls [OPTIONS]\n"
                          "atoll secret rm [OPTIONS] NAME…",
              .description =
                  "A secret is a value that network policies name: the server keeps it encrypted, "
                  "and nobody reads it back.",
              .options = secret_option_table(),
              .sections = kSecretSections,
              .examples = kSecretExamples,
              .words = "set ls rm"},
      Command{.name = "network",
              .summary = "show or replace the network policy of a session",
              .synopsis = "atoll network [OPTIONS] SESSION\n"
                          "atoll network [OPTIONS] --set FILE|- SESSION",
              .description =
                  "Prints what a session may reach as YAML, and what went over its network where "
                  "that is counted.",
              .options = network_option_table(),
              .sections = kNetworkSections,
              .examples = kNetworkExamples},
      Command{
          .name = "approve",
          .summary = "decide on executions that wait for a person",
          .synopsis = "atoll approve [OPTIONS]\n"
                      "atoll approve [OPTIONS] ls\n"
                      "atoll approve [OPTIONS] show ID\n"
                      "atoll approve [OPTIONS] [--reject] ID…",
          .description =
              "Shows what the policy wants a person to see before it runs (docs/policy.md), and "
              "approves or rejects it.",
          .options = approve_option_table(),
          .sections = kApproveSections,
          .examples = kApproveExamples,
          .words = "ls show"},
      Command{.name = "test",
              .summary = "run code against tests on a server",
              .synopsis = "atoll test [OPTIONS] --with TESTFILE FILE|-\n"
                          "atoll test [OPTIONS] --cases FILE FILE|-",
              .description = "Runs a file of code and prints a verdict for every test.",
              .options = test_option_table(),
              .sections = kTestSections,
              .examples = kTestExamples,
              .takes_files = true},
      Command{.name = "tenant",
              .summary = "show and set the quotas of tenants",
              .synopsis = "atoll tenant show [OPTIONS] NAME\n"
                          "atoll tenant set [OPTIONS] NAME QUOTA=N…",
              .description = "A tenant is what a key belongs to. Quotas say what it may use.",
              .options = tenant_option_table(),
              .sections = kTenantSections,
              .examples = kTenantExamples,
              .words = "show set"},
      Command{.name = "audit",
              .summary = "show, copy and verify who did what on a server",
              .synopsis = "atoll audit tail [OPTIONS]\n"
                          "atoll audit export [OPTIONS]\n"
                          "atoll audit verify [OPTIONS] [FILE|-]",
              .description = "The server records who did what, and how it ended.",
              .options = audit_option_table(),
              .sections = kAuditSections,
              .examples = kAuditExamples,
              .words = "tail export verify",
              .takes_files = true},
      Command{.name = "mcp",
              .summary = "give a client of the Model Context Protocol sandboxes",
              .synopsis = "atoll mcp [OPTIONS]",
              .description =
                  "Speaks MCP on standard input and output, for Claude, Cursor, VS Code and every "
                  "other client that starts its servers itself. Without a server to talk to, it "
                  "starts one for itself and ends it with itself.",
              .options = mcp_option_table(),
              .sections = kMcpSections,
              .examples = kMcpExamples},
  };
  return kManuals;
}

}  // namespace atl::cli
