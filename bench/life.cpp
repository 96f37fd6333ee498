// atoll-bench-life: processor time of the whole machine for one life of a sandbox over REST
// (create, run, delete) beside the floor, with more and more idle sessions. Prints JSON rows for
// bench/run.py, which starts the server.
//
// All contenders take turns, one life each, in a new order every round. A turn ends after a rest in
// which what was put off is done: a pool refilled, a namespace taken down. One contender does
// nothing; what the machine spends in its turns is taken off the others'.
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "floor.hpp"
#include "lives.hpp"
#include "process.hpp"
#include "session.hpp"

namespace atl::bench {
namespace {

constexpr std::chrono::milliseconds kRest{50};
// More, and what is left to take something off from is noise; at both processors it is nothing.
constexpr double kMostOfOthers = 0.25;

struct Options {
  Target atoll;
  pid_t server = 0;
  std::string floor_python, floor_script, floor_library;
  bool quick = false;
  int rounds = 0;  // 0: as many as usual
};

// Busy time of all processors since the boot, in ticks of 10 ms.
double busy_by_stat_us() {
  std::ifstream file("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
  file >> word >> user >> nice >> system >> idle >> iowait >> irq >> softirq;
  return (user + nice + system + irq + softirq) * 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// The same in nanoseconds, where the root of a cgroup v1 hierarchy tells it: 0 elsewhere.
double busy_by_cgroup_us() {
  double nanoseconds = 0;
  for (const char* name : {"cpuacct", "cpu,cpuacct"}) {
    std::ifstream(std::string("/sys/fs/cgroup/") + name + "/cpuacct.usage") >> nanoseconds;
    if (nanoseconds > 0) break;
  }
  return nanoseconds / 1000;
}

// In a cgroup namespace the file tells of a part of the machine only.
bool cgroup_tells_all() {
  double share = busy_by_cgroup_us() / busy_by_stat_us();
  return share > 0.9 && share < 1.1;
}

// A Python that forks itself when told so.
class Interpreter {
 public:
  Interpreter(const Options& options, const std::vector<const char*>& modules) {
    std::vector<const char*> argv{options.floor_python.c_str(), options.floor_script.c_str(),
                                  options.floor_library.c_str()};
    argv.insert(argv.end(), modules.begin(), modules.end());
    argv.push_back(nullptr);
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) give_up("no socket pair");
    here_.reset(ends[0]);
    UniqueFd there(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(there.get(), 0);
      ::dup2(there.get(), 1);
      ::execv(argv[0], const_cast<char**>(argv.data()));
      ::_exit(127);
    }
  }
  ~Interpreter() {
    here_.reset();  // it ends when there is nothing more to read
    ::waitpid(pid_, nullptr, 0);
  }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  bool answers() const {
    char byte = 0;
    return ::read(here_.get(), &byte, 1) == 1;
  }
  void fork_once() const {
    if (::write(here_.get(), "x", 1) != 1 || !answers()) give_up("the floor in Python ended");
  }

 private:
  UniqueFd here_;
  pid_t pid_ = -1;
};

void fork_true() {
  pid_t pid = atoll_bench_floor();
  if (pid == 0) {
    ::execl("/bin/true", "true", nullptr);
    ::_exit(127);
  }
  int status = 1;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid || status != 0) give_up("the floor failed");
}

void live_once(Life& life) {
  life.run();
  if (!life.failure().empty()) give_up(life.failure());
}

// The one among its children's names, and no fork of it that is on its way to be a guest.
pid_t launcher_of(pid_t server) {
  std::set<pid_t> found;
  for (pid_t pid : descendants(server)) {
    std::string name;
    std::getline(std::ifstream(proc(pid, "comm")) >> std::ws, name);
    if (name == "atoll-launcher") found.insert(pid);
  }
  for (pid_t pid : found) {
    auto parent = static_cast<pid_t>(kilobytes_after(proc(pid, "status"), {"PPid:"}));
    if (!found.contains(parent)) return pid;
  }
  give_up("the server has no launcher");
}

// What is left of the samples without the lowest and the highest tenth: neighbours come in bursts.
double middle_mean(std::vector<double> samples) {
  std::ranges::sort(samples);
  std::size_t cut = samples.size() / 10;
  double sum = 0;
  for (std::size_t i = cut; i < samples.size() - cut; ++i) sum += samples[i];
  return sum / static_cast<double>(samples.size() - 2 * cut);
}

struct Contender {
  std::string name;
  const char* deed;  // of the case
  std::function<void()> life;
  std::vector<double> machine, wall, launcher, server;  // us for each turn
};

class Contest {
 public:
  explicit Contest(const Options& options)
      : options_(options), launcher_(launcher_of(options.server)), exact_(cgroup_tells_all()) {
    if (!exact_) std::fprintf(stderr, "/proc/stat counts in ticks of 10 ms: take many rounds\n");
  }

  void add(std::string name, const char* deed, std::function<void()> life) {
    contenders_.push_back({std::move(name), deed, std::move(life), {}, {}, {}, {}});
  }

  void run(int rounds, const std::string& mode) {
    std::vector<std::size_t> order(contenders_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (Contender& one : contenders_) {
      one.machine.clear(), one.wall.clear(), one.launcher.clear(), one.server.clear();
      one.life();  // caches
    }
    for (int round = 0; round < rounds; ++round) {
      std::ranges::shuffle(order, random_);
      for (std::size_t index : order) turn(contenders_[index]);
    }
    print(mode);
  }

  // Processor time of the launcher for a life, by case, of the last run.
  std::vector<double> launcher_times() const {
    std::vector<double> all;
    for (const Contender& one : contenders_) {
      if (one.name == "atoll") all.push_back(middle_mean(one.launcher));
    }
    return all;
  }

 private:
  double busy_us() const { return exact_ ? busy_by_cgroup_us() : busy_by_stat_us(); }

  void turn(Contender& one) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // own time is booked when it sleeps
    double machine = busy_us(), launcher = cpu_us(launcher_), server = cpu_us(options_.server);
    Clock::time_point start = Clock::now();
    one.life();
    std::this_thread::sleep_for(kRest);
    one.wall.push_back(1000 * ms_since(start));
    one.machine.push_back(busy_us() - machine);
    one.launcher.push_back(cpu_us(launcher_) - launcher);
    one.server.push_back(cpu_us(options_.server) - server);
  }

  void print(const std::string& mode) {
    const Contender& nothing = contenders_.front();
    double neighbours = middle_mean(nothing.machine) / middle_mean(nothing.wall);
    print_value("processor time that others take", "%", 100 * neighbours, "machine", mode.c_str());
    bool quiet = neighbours <= kMostOfOthers;
    if (!quiet) {
      std::fprintf(stderr, "%s: others take %.0f %% of a processor: no figures of the machine\n",
                   mode.c_str(), 100 * neighbours);
    }
    for (const Contender& one : contenders_) {
      if (&one == &nothing) continue;
      std::vector<double> own;
      for (std::size_t i = 0; i < one.machine.size(); ++i) {
        own.push_back((one.machine[i] - neighbours * one.wall[i]) / 1000);
      }
      std::string name = std::string("processor time of a life: ") + one.deed;
      if (quiet) print_value(name.c_str(), "ms", middle_mean(own), one.name.c_str(), mode.c_str());
      if (one.name != "atoll") continue;
      print_value((name + ": launcher").c_str(), "ms", middle_mean(one.launcher) / 1000, "atoll",
                  mode.c_str());
      print_value((name + ": server").c_str(), "ms", middle_mean(one.server) / 1000, "atoll",
                  mode.c_str());
    }
  }

  const Options& options_;
  pid_t launcher_;
  bool exact_;
  std::vector<Contender> contenders_;
  std::mt19937 random_{1};
};

void add_idle_sessions(const Options& options, Connection& connection, std::size_t count,
                       std::vector<std::string>& ids) {
  const std::string body = R"({"template_id":"python-default","config":{"timeout_seconds":3600}})";
  while (ids.size() < count) ids.push_back(make_session(connection, options.atoll, body));
  for (const Deed* deed : {&kPython, &kShell}) {
    wait_for_pool(connection, options.atoll, deed->template_id);
  }
}

void measure(const Options& options) {
  const char* python = kPython.template_id.c_str();
  const char* shell = kShell.template_id.c_str();
  Life python_life(options.atoll, kPython, false), shell_life(options.atoll, kShell, false);
  Interpreter standard(options, {});
  Interpreter pandas(options, {"numpy", "pandas"});
  if (!standard.answers()) give_up("the floor in Python did not start");
  Contest contest(options);
  contest.add("nothing", "", [] {});
  contest.add("floor", shell, &fork_true);
  contest.add("atoll", shell, [&] { live_once(shell_life); });
  contest.add("floor", python, [&] { standard.fork_once(); });
  if (pandas.answers()) {
    contest.add("floor with numpy and pandas", python, [&] { pandas.fork_once(); });
  }
  contest.add("atoll", python, [&] { live_once(python_life); });

  Connection connection(options.atoll.port);
  std::vector<std::string> ids;
  std::vector<double> without;
  for (std::size_t idle : {0, 100, 400, 1000}) {
    if (options.quick && idle > 100) break;
    add_idle_sessions(options, connection, idle, ids);
    std::string mode = std::to_string(idle) + " idle sessions";
    int usual = options.quick ? 40 : 150;
    contest.run(options.rounds > 0 ? options.rounds : usual, mode);
    std::vector<double> with = contest.launcher_times();
    if (idle == 0) without = with;
    for (std::size_t i = 0; i < with.size() && idle > 0; ++i) {
      std::string name =
          std::string("launcher's time for a life, to that without idle sessions: ") +
          (i == 0 ? shell : python);
      print_value(name.c_str(), "x", with[i] / without[i], "atoll", mode.c_str());
    }
  }
  for (const std::string& id : ids) delete_session(connection, options.atoll, id);
}

}  // namespace
}  // namespace atl::bench

int main(int argc, char** argv) {
  using namespace atl::bench;
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--quick") {
      options.quick = true;
      continue;
    }
    if (i + 1 == argc) give_up("an option without its value");
    const char* value = argv[++i];
    if (name == "--port") options.atoll.port = std::atoi(value);
    if (name == "--key") options.atoll.key = value;
    if (name == "--server") options.server = std::atoi(value);
    if (name == "--rounds") options.rounds = std::atoi(value);
    if (name == "--python") options.floor_python = value;
    if (name == "--floor-script") options.floor_script = value;
    if (name == "--floor-library") options.floor_library = value;
  }
  measure(options);
  rows_end();
  return 0;
}
