#include "guest/spawn.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "guest/exec_child.hpp"
#include "guest/paths.hpp"
#include "guest/server.hpp"
#include "guest/zygote.hpp"

namespace atl::guest {
namespace {

constexpr std::string_view kDefaultPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr const char* kDefaultCwd = "/workspace";

std::vector<std::string> programs_to_try(const ExecArgs& args) {
  const std::string& name = args.argv[0];
  if (name.find('/') != std::string::npos) return {name};
  std::string_view path = kDefaultPath;
  for (const std::string& variable : args.env) {
    if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
  }
  std::vector<std::string> programs;
  for (;;) {
    std::size_t colon = path.find(':');
    std::string program(path.substr(0, colon));
    if (program.empty()) program = ".";
    programs.push_back(program.append("/").append(name));
    if (colon == std::string_view::npos) return programs;
    path.remove_prefix(colon + 1);
  }
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

bool has_nul(const std::vector<std::string>& strings) {
  for (const std::string& text : strings) {
    if (text.find('\0') != std::string::npos) return true;
  }
  return false;
}

std::vector<std::string> environment_of(const Server& server, const ExecArgs& args) {
  std::vector<std::string> all = args.env;
  for (const std::string& own : server.environment()) {
    std::string_view name = std::string_view(own).substr(0, own.find('=') + 1);
    bool given = std::any_of(args.env.begin(), args.env.end(),
                             [&](const std::string& one) { return one.starts_with(name); });
    if (!given) all.push_back(own);
  }
  return all;
}

struct Pipe {
  UniqueFd read, write;
};

// The user's, so that he can open it by name: /dev/stdout leads to it.
Result<Pipe> make_pipe(Server& server) {
  AsUser as_user(server.config());
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return fail_errno("Making a pipe");
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// Only our end: a program that finds its stdout not blocking loses output.
void unblock(const UniqueFd& fd) { ::fcntl(fd.get(), F_SETFL, O_NONBLOCK | O_RDWR); }

struct Terminal {
  UniqueFd master, slave;
};

// Opened with the user's rights, so that devpts makes the user its owner.
Result<Terminal> open_terminal(Server& server, const ExecArgs& args) {
  AsUser as_user(server.config());
  Terminal tty{UniqueFd(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)),
               UniqueFd()};
  if (!tty.master) return fail_errno("Opening a terminal");
  int unlocked = 0;
  winsize size{.ws_row = args.rows, .ws_col = args.cols, .ws_xpixel = 0, .ws_ypixel = 0};
  if (::ioctl(tty.master.get(), TIOCSPTLCK, &unlocked) != 0 ||
      ::ioctl(tty.master.get(), TIOCSWINSZ, &size) != 0) {
    return fail_errno("Setting up a terminal");
  }
  tty.slave.reset(::ioctl(tty.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!tty.slave) return fail_errno("Opening a terminal's user side");
  return tty;
}

Error describe(const ChildReport& report, const ExecArgs& args) {
  auto with = [&](Code code, std::string text) {
    return Error(code, std::move(text), report.error);
  };
  switch (report.step) {
    case ChildStep::kExec:
      if (report.error == ENOENT) {
        return with(Code::kProgramNotFound, "There is no program \"" + args.argv[0] +
                                                "\" here, or the interpreter it names is missing.");
      }
      if (report.error == E2BIG) {
        return with(Code::kTooLarge, "The arguments and the environment are too long.");
      }
      if (report.error == ENOMEM || report.error == EAGAIN) break;
      return with(
          Code::kProgramNotExecutable,
          "\"" + args.argv[0] + "\" cannot be run: it is not executable or of no known format.");
    case ChildStep::kDirectory:
      return with(Code::kInvalidArgument,
                  "The working directory \"" + args.cwd + "\" cannot be entered.");
    case ChildStep::kStopped:
      return with(Code::kResourceExhausted, "The process was stopped before it could start.");
    case ChildStep::kCgroup:
      return with(Code::kResourceExhausted, "The process could not enter the sandbox's limits.");
    default: break;
  }
  return with(code_from_errno(report.error), "The process could not be set up (step " +
                                                 std::to_string(static_cast<int>(report.step)) +
                                                 ").");
}

// The program's ends of what it is connected with.
struct TheirEnds {
  UniqueFd stdio[3], control;
};

Result<void> connect_terminal(Server& server, const ExecArgs& args, Spawned& ours,
                              TheirEnds& theirs) {
  ATOLL_TRY(Terminal tty, open_terminal(server, args));
  ours.in.reset(::fcntl(tty.master.get(), F_DUPFD_CLOEXEC, 3));
  ours.out = std::move(tty.master);
  theirs.stdio[0] = std::move(tty.slave);
  return {};
}

// One socket both ways: our second descriptor of it takes what the host sends.
Result<void> connect_control(Spawned& ours, TheirEnds& theirs) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail_errno("Making a control socket");
  }
  ours.control.reset(ends[0]);
  UniqueFd their_end(ends[1]);
  unblock(ours.control);
  ours.in.reset(::fcntl(ends[0], F_DUPFD_CLOEXEC, 3));
  theirs.control.reset(::fcntl(their_end.get(), F_DUPFD_CLOEXEC, 4));
  return theirs.control ? Result<void>() : fail_errno("Making a control socket");
}

Result<void> connect_pipes(Server& server, const ExecArgs& args, Spawned& ours, TheirEnds& theirs) {
  ATOLL_TRY(Pipe out, make_pipe(server));
  ATOLL_TRY(Pipe err, make_pipe(server));
  unblock(out.read);
  unblock(err.read);
  ours.out = std::move(out.read);
  ours.err = std::move(err.read);
  theirs.stdio[1] = std::move(out.write);
  theirs.stdio[2] = std::move(err.write);
  if ((args.flags & ExecArgs::kControlSocket) != 0) return connect_control(ours, theirs);
  if ((args.flags & ExecArgs::kStdinOpen) == 0) return {};
  ATOLL_TRY(Pipe in, make_pipe(server));
  unblock(in.write);
  ours.in = std::move(in.write);
  theirs.stdio[0] = std::move(in.read);
  return {};
}

// As a new program of its own.
Result<void> start_program(Server& server, const ExecArgs& args, ChildPlan& plan,
                           Spawned& spawned) {
  plan.task_fds = server.task_fds().data();
  plan.task_count = server.task_fds().size();
  const GuestConfig& config = server.config();
  plan.user = {.switch_user = config.user_uid != ::getuid(),
               .uid = config.user_uid,
               .gid = config.user_gid,
               .kept_caps = config.kept_caps,
               .open_files = config.open_files,
               .data_bytes = config.data_bytes,
               .execution = true};
  if (!plan.user.switch_user && ::getpid() != 1) plan.guard = ::getpid();
  plan.cwd = args.cwd.empty() ? kDefaultCwd : args.cwd.c_str();
  plan.cwd_optional = args.cwd.empty();
  std::vector<std::string> programs = programs_to_try(args);
  std::vector<char*> program_list = pointers(programs);
  std::vector<char*> argv = pointers(args.argv);
  std::vector<std::string> environment = environment_of(server, args);
  std::vector<char*> env = pointers(environment);
  plan.programs = program_list.data();
  plan.argv = argv.data();
  plan.env = env.data();
  spawned.pid = start_child(plan);
  if (spawned.pid < 0) return fail_errno("Starting a process");
  if (plan.result.step == ChildStep::kNone) return {};
  ::waitpid(spawned.pid, nullptr, 0);
  return fail(describe(plan.result, args));
}

}  // namespace

Result<Spawned> spawn(Server& server, const ExecArgs& args) {
  if (args.argv.empty() || args.argv[0].empty()) {
    return fail(Code::kInvalidArgument, "There is no program to run.");
  }
  if (has_nul(args.argv) || has_nul(args.env) || args.cwd.find('\0') != std::string::npos) {
    return fail(Code::kInvalidArgument, "Arguments and environment cannot hold a NUL byte.");
  }
  Spawned spawned;
  TheirEnds theirs;
  ChildPlan plan;
  plan.tty = (args.flags & ExecArgs::kTty) != 0;
  ATOLL_CHECK(plan.tty ? connect_terminal(server, args, spawned, theirs)
                       : connect_pipes(server, args, spawned, theirs));
  for (int fd = 0; fd < 3; ++fd) {
    const UniqueFd& end = plan.tty ? theirs.stdio[0] : theirs.stdio[fd];
    plan.stdio[fd] = end ? end.get() : server.null_fd();
  }
  plan.control = theirs.control.get();
  spawned.started_ns = now_ns();
  if ((args.flags & ExecArgs::kZygote) != 0 && !plan.tty) {
    ATOLL_TRY(spawned.pid, start_by_zygote(server, args, plan, spawned.notice));
    if (plan.result.step != ChildStep::kNone) return fail(describe(plan.result, args));
    if (spawned.pid > 0) return spawned;
  }
  ATOLL_CHECK(start_program(server, args, plan, spawned));
  return spawned;
}

}  // namespace atl::guest
