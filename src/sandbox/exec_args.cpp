#include "sandbox/exec_args.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace atl::sandbox {

namespace {

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// What every execution gets; the request's own variables win.
std::map<std::string, std::string> default_environment(const ExecRequest& request,
                                                       const std::string& workspace) {
  std::map<std::string, std::string> env{
      {"HOME", workspace},
      {"LANG", "C.UTF-8"},
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/atoll/bin"},
      {"PYTHONUNBUFFERED", "1"},
      {"TMPDIR", "/tmp"},
      {"USER", "user"},
  };
  if (request.terminal) env.emplace("TERM", "xterm-256color");
  return env;
}

}  // namespace

Result<std::string> box_path(std::string_view path, const std::string& workspace) {
  if (path.empty()) return fail(Code::kInvalidArgument, "the path is empty");
  if (has_nul(path)) return fail(Code::kInvalidArgument, "the path holds a NUL byte");
  if (path.front() == '/') return std::string(path);
  std::string whole = workspace;
  whole += '/';
  whole += path;
  return whole;
}

Result<guest::ExecArgs> exec_args(const ExecRequest& request, const std::string& workspace) {
  if (request.argv.empty() || request.argv.front().empty()) {
    return fail(Code::kInvalidArgument, "there is no program to run");
  }
  if (request.timeout.count() < 0 || request.timeout.count() > UINT32_MAX) {
    return fail(Code::kInvalidArgument, "the time-out is out of range");
  }
  if (request.control && (request.terminal || request.stdin_open || request.stdin_data)) {
    return fail(Code::kInvalidArgument, "a program with a control stream has no other input");
  }
  guest::ExecArgs args;
  for (const std::string& word : request.argv) {
    if (has_nul(word)) return fail(Code::kInvalidArgument, "an argument holds a NUL byte");
    args.argv.push_back(word);
  }
  auto env = default_environment(request, workspace);
  for (const auto& [name, value] : request.env) {
    if (name.empty() || name.find('=') != std::string::npos || has_nul(name)) {
      return fail(Code::kInvalidArgument, "a variable's name is empty or holds '=' or a NUL byte");
    }
    if (has_nul(value)) return fail(Code::kInvalidArgument, "a variable holds a NUL byte");
    env.insert_or_assign(name, value);
  }
  for (const auto& [name, value] : env) {
    std::string entry = name;
    args.env.push_back(entry.append("=").append(value));
  }
  // Empty means /workspace to the guest, which also works where that is missing.
  bool default_cwd = request.cwd.empty() && workspace == "/workspace";
  if (!default_cwd) {
    ATOLL_TRY(args.cwd, box_path(request.cwd.empty() ? workspace : request.cwd, workspace));
  }
  if (request.terminal) {
    args.flags |= guest::ExecArgs::kTty;
    args.rows = request.terminal->rows;
    args.cols = request.terminal->cols;
  }
  if (request.stdin_open || request.stdin_data) args.flags |= guest::ExecArgs::kStdinOpen;
  if (request.background) args.flags |= guest::ExecArgs::kBackground;
  if (request.control) args.flags |= guest::ExecArgs::kControlSocket;
  if (request.zygote) args.flags |= guest::ExecArgs::kZygote;
  args.timeout_ms = static_cast<std::uint32_t>(request.timeout.count());
  return args;
}

}  // namespace atl::sandbox
