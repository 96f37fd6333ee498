// atoll-bench-api: a running server as its clients see it. Prints JSON rows for bench/run.py, which
// starts the server and nginx.
#include "api.hpp"

#include <cstring>
#include <ctime>

#include "process.hpp"

namespace atl::bench {

namespace {

double own_cpu_us() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

struct Asked {
  const char* name;
  const Target* target;
  pid_t pid;
  std::string request;
  Connection connection;
  std::vector<double> times;
  double server_cpu = 0, own_cpu = 0;

  void ask(int count) {
    double server_before = cpu_us(pid), own_before = own_cpu_us();
    for (int i = 0; i < count; ++i) {
      Clock::time_point start = Clock::now();
      must_be(200, connection.call(request));
      times.push_back(1000 * ms_since(start));
    }
    server_cpu += cpu_us(pid) - server_before;
    own_cpu += own_cpu_us() - own_before;
  }
};

}  // namespace

void measure_requests(const Setting& setting) {
  const Target& atoll = setting.atoll;
  Connection connection(atoll.port);
  std::string id = make_session(connection, atoll, R"({"template_id":"shell-default"})");
  std::vector<Asked> all;
  auto add = [&](const char* name, const Target& target, pid_t pid, const std::string& path) {
    all.push_back({name, &target, pid, target.request("GET", path), Connection(target.port), {}});
  };
  add("atoll, /health", atoll, setting.server, "/health");
  add("atoll, GET a session", atoll, setting.server, "/api/v1/sessions/" + id);
  if (setting.nginx_pid != 0) add("nginx", setting.nginx, setting.nginx_pid, "/health");
  for (int turn = 0; turn < (setting.quick ? 5 : 50); ++turn) {
    for (Asked& one : all) one.ask(200);
  }
  for (Asked& one : all) {
    auto count = static_cast<double>(one.times.size());
    print_value("time on a processor for a request: server", "us", one.server_cpu / count,
                one.name);
    print_value("time on a processor for a request: this client", "us", one.own_cpu / count,
                one.name);
    print_times("one request, keep-alive", "hot", std::move(one.times), one.name, "us");
  }
  delete_session(connection, atoll, id);
}

}  // namespace atl::bench

int main(int argc, char** argv) {
  using namespace atl::bench;
  Setting setting;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      setting.quick = true;
      continue;
    }
    if (std::strcmp(argv[i], "--crowd") == 0) {
      setting.crowd = true;
      continue;
    }
    if (std::strcmp(argv[i], "--dialects") == 0) {
      setting.dialects = true;
      continue;
    }
    if (i + 1 == argc) give_up("an option without its value");
    std::string_view name = argv[i++];
    if (name == "--port") setting.atoll.port = std::atoi(argv[i]);
    if (name == "--key") setting.atoll.key = argv[i];
    if (name == "--server") setting.server = std::atoi(argv[i]);
    if (name == "--nginx-port") setting.nginx.port = std::atoi(argv[i]);
    if (name == "--nginx") setting.nginx_pid = std::atoi(argv[i]);
  }
  if (setting.crowd) {
    for (int clients : {8, 50, 200}) measure_crowd(setting, clients);
  } else if (setting.dialects) {
    measure_dialects(setting);
  } else {
    measure_requests(setting);
    measure_lives(setting);
    measure_sessions(setting);
    measure_streams(setting);
  }
  rows_end();
  return 0;
}
