// The programs of a remote sandbox, and its figures.
#include <charconv>
#include <sstream>
#include <utility>

#include "backends/opensandbox/file_streams.hpp"
#include "backends/opensandbox/remote_sandbox.hpp"
#include "backends/opensandbox/script.hpp"
#include "base/utf8.hpp"
#include "sandbox/exec_args.hpp"

namespace atl::backends::opensandbox {

using async::Task;
using sandbox::State;

namespace {

constexpr std::size_t kMaxScript = 120 * 1024;  // one argument of a program may have 128 KiB
constexpr std::size_t kKept = 64;               // ended executions that nobody has asked about

// cgroup v2 first, then v1: memory, its peak, its limit, cpu, processes, each on a line.
constexpr std::string_view kFigures = R"(
cd /sys/fs/cgroup
one() { for file; do if [ -r "$file" ]; then cat "$file"; return; fi; done; echo 0; }
one memory.current memory/memory.usage_in_bytes
one memory.peak memory/memory.max_usage_in_bytes
one memory.max memory/memory.limit_in_bytes
if [ -r cpu.stat ]; then sed -n 's/^usage_usec //p' cpu.stat
else one cpuacct/cpuacct.usage | sed 's/...$//'; fi
one pids.current pids/pids.current
)";

// Each on a line: the fields of /proc/PID/stat, a tab, the command.
constexpr std::string_view kProcesses = R"(
for folder in /proc/[0-9]*; do
  { read -r line < "$folder/stat"; } 2>/dev/null || continue
  words=$(tr '\000\t\n' '   ' < "$folder/cmdline" 2>/dev/null)
  printf '%s\t%s\n' "$line" "$words"
done
)";

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;  // "max" is no number, and no limit
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<sandbox::ProcessInfo> process_of(const std::string& line) {
  std::size_t open = line.find('(');
  std::size_t tab = line.rfind('\t');
  std::size_t close = line.rfind(')', tab);
  if (open == std::string::npos || close == std::string::npos || tab == std::string::npos) {
    return std::nullopt;
  }
  sandbox::ProcessInfo info;
  info.pid = static_cast<std::int32_t>(number_of(line));
  std::istringstream rest(line.substr(close + 2, tab - close - 2));
  std::vector<std::string> fields;
  for (std::string field; rest >> field;) fields.push_back(std::move(field));
  if (fields.size() < 22) return std::nullopt;
  info.state = fields[0].front();
  info.parent = static_cast<std::int32_t>(number_of(fields[1]));
  info.cpu_ms = (number_of(fields[11]) + number_of(fields[12])) * 10;
  info.rss_bytes = number_of(fields[21]) * 4096;
  info.command = line.substr(tab + 1);
  while (info.command.ends_with(' ')) info.command.pop_back();
  if (info.command.empty()) info.command = line.substr(open, close - open + 1);
  return info;
}

std::string joined(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) line += (line.empty() ? "" : " ") + word;
  return line.substr(0, 256);
}

// What the image says of PATH stays, unless the caller knows better.
Result<std::map<std::string, std::string>> environment_of(const guest::ExecArgs& args,
                                                          const sandbox::ExecRequest& request) {
  std::map<std::string, std::string> env;
  for (const std::string& entry : args.env) {
    std::size_t equals = entry.find('=');
    if (!is_utf8(entry)) {
      return fail(Code::kInvalidArgument, "OpenSandbox takes variables only as UTF-8");
    }
    env.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  if (!request.env.contains("PATH")) env.erase("PATH");
  return env;
}

Result<void> check_request(const sandbox::ExecRequest& request) {
  if (request.control) {
    return fail(Code::kUnsupported, "contexts need a guest, and OpenSandbox has its own agent");
  }
  if (request.terminal) return fail(Code::kUnsupported, "OpenSandbox gives programs no terminal");
  if (request.stdin_open && !request.stdin_data) {
    return fail(Code::kUnsupported, "OpenSandbox gives running programs no input");
  }
  return {};
}

}  // namespace

Task<Result<sandbox::Usage>> RemoteSandbox::usage() {
  if (shared_->state == State::kStopped) co_return fail(Code::kNotFound, shared_->why_stopped);
  if (paused()) co_return shared_->at_pause;
  ATOLL_CO_TRY(std::string text, co_await tool(std::string(kFigures)));
  std::istringstream lines(text);
  std::vector<std::uint64_t> figures;
  for (std::string line; std::getline(lines, line);) figures.push_back(number_of(line));
  if (figures.size() < 5) co_return fail(Code::kBackend, "the sandbox shows no figures of itself");
  sandbox::Usage usage;
  usage.memory_bytes = figures[0];
  usage.memory_peak_bytes = figures[1];
  usage.memory_limit_bytes = figures[2];
  usage.cpu_seconds = static_cast<double>(figures[3]) / 1e6;
  usage.pids = figures[4];
  co_return usage;
}

Task<Result<std::unique_ptr<sandbox::Process>>> RemoteSandbox::spawn(sandbox::ExecRequest request) {
  ATOLL_CO_TRY(guest::ExecArgs args, sandbox::exec_args(request, workspace()));
  ATOLL_CO_CHECK(check_request(request));
  ATOLL_CO_TRY(std::shared_ptr<Execd> execd, agent());
  if (args.cwd.empty()) args.cwd = workspace();
  ATOLL_CO_TRY(auto env, environment_of(args, request));
  std::string input = request.stdin_data ? scratch_path() : "/dev/null";
  std::string mark = make_sortable_id();
  std::string script = program_script(args, mark, input);
  if (request.stdin_data) script.insert(0, "trap 'rm -f -- " + quote(input) + "' EXIT\n");
  if (script.size() > kMaxScript) {
    co_return fail(Code::kTooLarge, "the arguments are larger than 120 KiB");
  }
  if (request.stdin_data) {
    auto upload = make_upload(tasks_, execd, input, 0600);
    ATOLL_CO_CHECK(co_await upload->write(std::move(*request.stdin_data)));
    ATOLL_CO_CHECK(co_await upload->finish());
  }
  auto execution =
      std::make_shared<Execution>(shared_->next_id++, joined(request.argv), mark, request.timeout);
  ATOLL_CO_TRY(http::ClientResponse stream,
               co_await execd->command(std::move(script), std::move(env), request.timeout));
  shared_->executions[execution->id()] = execution;
  tasks_->spawn(Execution::follow(execution, std::move(stream)));
  Result<void> started = co_await execution->started();
  if (!started) {
    shared_->executions.erase(execution->id());
    co_return fail(started.error());
  }
  std::erase_if(shared_->executions, [](const auto& one) { return one.second->seen(); });
  while (shared_->executions.size() > kKept && shared_->executions.begin()->second->ended()) {
    shared_->executions.erase(shared_->executions.begin());
  }
  co_return make_process(std::move(execution), std::move(execd));
}

Task<Result<std::unique_ptr<sandbox::Process>>> RemoteSandbox::attach(std::uint64_t exec_id) {
  ATOLL_CO_TRY(std::shared_ptr<Execd> execd, agent());
  auto found = shared_->executions.find(exec_id);
  if (found == shared_->executions.end() || found->second->seen()) {
    co_return fail(Code::kNotFound, "there is no such execution");
  }
  co_return make_process(found->second, std::move(execd));
}

Task<Result<std::vector<sandbox::ExecutionInfo>>> RemoteSandbox::executions() {
  ATOLL_CO_CHECK(agent());
  std::vector<sandbox::ExecutionInfo> all;
  for (const auto& [id, execution] : shared_->executions) {
    if (execution->seen()) continue;
    all.push_back({.exec_id = id,
                   .pid = execution->pid(),
                   .running = !execution->ended(),
                   .command = execution->command()});
  }
  co_return all;
}

Task<Result<std::vector<sandbox::ProcessInfo>>> RemoteSandbox::processes() {
  ATOLL_CO_TRY(std::string text, co_await tool(std::string(kProcesses)));
  std::vector<sandbox::ProcessInfo> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (auto one = process_of(line)) all.push_back(std::move(*one));
  }
  co_return all;
}

}  // namespace atl::backends::opensandbox
