// Live sessions over HTTP: executions in one, many idle ones, and the end of one that bombs.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "api.hpp"
#include "lives.hpp"
#include "process.hpp"

namespace atl::bench {
namespace {

// What a call of one session answers, and how long it takes.
struct Session {
  const Target& target;
  Connection connection{target.port};
  std::string id;

  Session(const Target& to, const std::string& template_id) : target(to) {
    id = make_session(connection, target, R"({"template_id":")" + template_id + "\"}");
  }
  ~Session() { delete_session(connection, target, id); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::string path(const char* tail) const { return "/api/v1/sessions/" + id + tail; }
  std::string execution(const std::string& body) const {
    return target.request("POST", path("/execute"), body, "Prefer: wait=60\r\n");
  }
};

void repeated(Session& session, const char* name, const std::string& body, int rounds) {
  std::string request = session.execution(body);
  std::vector<double> times;
  for (int i = 0; i <= rounds; ++i) {
    Clock::time_point start = Clock::now();
    std::string answer = must_be(200, session.connection.call(request));
    if (i > 0) times.push_back(ms_since(start));  // the first is not hot
    if (answer.find(R"("state":"completed")") == std::string::npos) give_up(answer);
  }
  print_times(name, "hot", std::move(times));
}

void executions(const Target& target, int rounds) {
  Session shell(target, "shell-default");
  repeated(shell, "command true in a live session", R"({"command":["/bin/true"]})", rounds);
  Session python(target, "python-default");
  repeated(python, "print(1) in a live session", R"-({"language":"python","code":"print(1)"})-",
           rounds);
  std::string open = target.request("POST", python.path("/contexts"), R"({"language":"python"})");
  std::string context = string_member(must_be(201, python.connection.call(open)), "id");
  repeated(python, "1+1 in a live context", R"({"code":"1+1","context":")" + context + "\"}",
           rounds);
}

struct Held {
  double server, sandboxes, kernel;
};

Held held_by(const Setting& setting) {
  Held held{pss_kb(setting.server), 0, kernel_memory_kb()};
  for (pid_t pid : descendants(setting.server)) held.sandboxes += pss_kb(pid);
  return held;
}

// The first time warms up what is kept: slots, which do not count, and the server's heap, which
// does.
void idle_sessions(const Setting& setting, int count) {
  const Target& target = setting.atoll;
  Connection connection(target.port);
  const std::string body = R"({"template_id":"python-default","config":{"timeout_seconds":3600}})";
  double server = 0;
  for (int round = 0; round < 2; ++round) {
    wait_for_pool(connection, target, "python-default");
    Held before = held_by(setting);
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) ids.push_back(make_session(connection, target, body));
    wait_for_pool(connection, target, "python-default");
    Held after = held_by(setting);
    for (const std::string& id : {ids.front(), ids.back()}) {
      must_be(200, connection.call(target.request("GET", "/api/v1/sessions/" + id + "/usage")));
    }
    for (const std::string& id : ids) delete_session(connection, target, id);
    server = std::max(server, (after.server - before.server) / count);
    if (round == 0) continue;
    std::string name = std::to_string(count) + " idle Python sessions: ";
    double processes = (after.sandboxes - before.sandboxes) / count;
    double kernel = (after.kernel - before.kernel) / count;
    print_value((name + "memory of the server in all").c_str(), "KiB", after.server);
    print_value((name + "of the server for each").c_str(), "KiB", server);
    print_value((name + "of processes in a sandbox").c_str(), "KiB", processes);
    print_value((name + "of the kernel for each").c_str(), "KiB", kernel);
    print_value("idle Python session, all memory", "KiB", server + processes + kernel);
  }
}

// Pid 1 of the sandbox in which most processes are, which outlives all of them.
int open_fullest_sandbox(pid_t server) {
  pid_t fullest = 0;
  std::size_t most = 0;
  for (pid_t pid : descendants(server)) {
    std::string name;
    std::getline(std::ifstream(proc(pid, "comm")) >> std::ws, name);
    std::size_t count = name == "atoll-guest" ? descendants(pid).size() : 0;
    if (count > most) fullest = pid;
    most = std::max(most, count);
  }
  int fd = static_cast<int>(::syscall(SYS_pidfd_open, fullest, 0));
  if (fd < 0) give_up("no sandbox is full of processes");
  return fd;
}

void bombs(const Setting& setting, int count) {
  const Target& target = setting.atoll;
  // A shell that cannot fork gives up; these do not.
  const std::string bomb =
      R"({"command":"memory() { python3 -c 'while True: x = bytearray(400 << 20)'; memory; }; )"
      R"(memory & memory & python3 -c 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass'"})";
  Connection connection(target.port);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    std::string id = make_session(connection, target, R"({"template_id":"shell-default"})");
    std::string path = "/api/v1/sessions/" + id;
    must_be(202, connection.call(target.request("POST", path + "/execute", bomb)));
    for (long processes = 0; processes < 90;) {  // of 100 that it may have
      constexpr std::string_view kName = "\"pids_current\":";
      std::string usage = must_be(200, connection.call(target.request("GET", path + "/usage")));
      processes = std::atol(usage.c_str() + usage.find(kName) + kName.size());
    }
    pollfd last{open_fullest_sandbox(setting.server), POLLIN, 0};
    Clock::time_point start = Clock::now();
    delete_session(connection, target, id);
    ::poll(&last, 1, -1);
    times.push_back(ms_since(start));
    ::close(last.fd);
  }
  print_times("DELETE of a session that is bombing", "hot", std::move(times));
}

}  // namespace

void measure_sessions(const Setting& setting) {
  executions(setting.atoll, setting.quick ? 50 : 500);
  idle_sessions(setting, setting.quick ? 100 : 1000);
  bombs(setting, setting.quick ? 3 : 100);
}

}  // namespace atl::bench
