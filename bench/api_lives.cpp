// Sandboxes made, used once and deleted over HTTP: one after the other, after idle, staggered, in a
// burst, and as many as go in a minute.
#include <array>
#include <functional>
#include <thread>

#include "api.hpp"
#include "lives.hpp"
#include "process.hpp"

namespace atl::bench {
namespace {

using std::chrono::milliseconds;

const Deed kNumpy{"python-default",
                  R"-("language":"python","code":"import numpy; print(numpy.arange(10).sum())")-",
                  R"(45\n)"};
const Deed kLoaded{"python-default",
                   R"-("language":"python","code":"import sys; print('numpy' in sys.modules)")-",
                   R"(True\n)"};
const std::vector<const char*> kBarePython{"/usr/bin/python3", "-c", "print(1)"};
const std::vector<const char*> kBareShell{"/bin/sh", "-c", "echo 1"};

double run(Life& life) {
  life.run();
  if (!life.failure().empty()) give_up(life.failure());
  return life.whole_time();
}

std::vector<Life> make_lives(const Target& target, const Deed& deed, int count) {
  std::vector<Life> lives;
  for (int i = 0; i < count; ++i) lives.emplace_back(target, deed, false);
  return lives;
}

struct Contest {
  const Setting& setting;
  const Deed& deed;
  const std::vector<const char*>& bare;
  std::string name;
  Connection connection{setting.atoll.port};  // for what is not measured

  void warm() { wait_for_pool(connection, setting.atoll, deed.template_id); }
};

// In turns, two of each kind: the first begins with a full pool and is not counted, the second
// follows at once. So each one that counts bears what its own kind left to be done behind the
// answer (the refilling of a pool, the end of a namespace), and nothing of another contender's.
void one_after_the_other(Contest& contest, int rounds) {
  Life three(contest.setting.atoll, contest.deed, false);
  Life one(contest.setting.atoll, contest.deed, true);
  struct Runner {
    const char* name;
    std::function<double()> run;
    std::vector<double> times;
  };
  std::array<Runner, 3> runners{{{"atoll", [&] { return run(three); }, {}},
                                 {"atoll, POST /run", [&] { return run(one); }, {}},
                                 {"bwrap", [&] { return time_bwrap(contest.bare); }, {}}}};
  double cpu = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      Runner& runner = runners[(i + static_cast<std::size_t>(round)) % runners.size()];
      contest.warm();
      double before = cpu_us(contest.setting.server);
      runner.run();
      runner.times.push_back(runner.run());
      if (&runner != &runners[0]) continue;
      contest.warm();
      cpu += cpu_us(contest.setting.server) - before;
    }
  }
  print_value("time on a processor for a life in three calls: server", "us", cpu / (2 * rounds),
              "atoll", contest.name.c_str());
  for (Runner& runner : runners) {
    print_times(contest.name.c_str(), "hot", std::move(runner.times), runner.name);
  }
}

void after_idle(Contest& contest, int rounds) {
  constexpr milliseconds kIdle{200};
  Life three(contest.setting.atoll, contest.deed, false);
  Life one(contest.setting.atoll, contest.deed, true);
  std::vector<double> three_times, one_times, bwrap_times;
  for (int i = 0; i < rounds; ++i) {
    std::this_thread::sleep_for(kIdle);
    three_times.push_back(run(three));
    std::this_thread::sleep_for(kIdle);
    one_times.push_back(run(one));
    std::this_thread::sleep_for(kIdle);
    bwrap_times.push_back(time_bwrap(contest.bare));
  }
  const char* mode = "after 200 ms idle";
  print_times(contest.name.c_str(), mode, std::move(three_times));
  print_times(contest.name.c_str(), mode, std::move(one_times), "atoll, POST /run");
  print_times(contest.name.c_str(), mode, std::move(bwrap_times), "bwrap");
}

struct Crowd {
  std::vector<double> results, wholes, last_results;
  int failed = 0;

  void take(const Life& life) {
    if (!life.failure().empty()) {
      if (failed++ == 0) std::fprintf(stderr, "failed: %s\n", life.failure().c_str());
      return;
    }
    results.push_back(life.result_time());
    wholes.push_back(life.whole_time());
  }
  double success() const {
    auto good = static_cast<double>(results.size());
    return 100 * good / (good + failed);
  }
};

// 100 of them; when all began at once, the last result also tells how long all took.
Crowd hundred(Contest& contest, std::chrono::microseconds apart, int rounds) {
  std::vector<Life> lives = make_lives(contest.setting.atoll, contest.deed, 100);
  Crowd crowd;
  for (int round = 0; round < rounds; ++round) {
    contest.warm();
    run_together(lives, apart, [](Life&) { return false; });
    double last = 0;
    for (const Life& life : lives) {
      crowd.take(life);
      last = std::max(last, life.result_time());
    }
    crowd.last_results.push_back(last);
  }
  return crowd;
}

void staggered(Contest& contest) {
  Crowd crowd = hundred(contest, milliseconds(20), 1);
  print_value((contest.name + ": success").c_str(), "%", crowd.success(), "atoll",
              "one every 20 ms");
  if (crowd.wholes.empty()) return;
  print_times(contest.name.c_str(), "one every 20 ms", std::move(crowd.wholes));
}

void burst(Contest& contest, int rounds) {
  Crowd crowd = hundred(contest, milliseconds(0), rounds);
  print_value((contest.name + ": success").c_str(), "%", crowd.success(), "atoll", "burst of 100");
  if (crowd.results.empty()) return;
  print_times((contest.name + ": until its result").c_str(), "burst of 100",
              std::move(crowd.results));
  print_times((contest.name + ": until all results").c_str(), "burst of 100",
              std::move(crowd.last_results));
}

void sustained(Contest& contest, int seconds) {
  std::vector<Life> lives = make_lives(contest.setting.atoll, contest.deed, 4);
  Crowd crowd;
  Clock::time_point start = Clock::now();
  run_together(lives, milliseconds(0), [&](Life& life) {
    crowd.take(life);
    return ms_since(start) < 1000 * seconds;
  });
  double took = ms_since(start) / 1000;
  print_value(contest.name.c_str(), "per s", static_cast<double>(crowd.results.size()) / took,
              "atoll", "sustained");
  print_value((contest.name + ": failed").c_str(), "", crowd.failed, "atoll", "sustained");
  print_times((contest.name + ": each").c_str(), "sustained", std::move(crowd.wholes));
}

// Without one, which nobody would notice but by the time, all figures of Python are others.
bool has_zygote(const Setting& setting) {
  Connection connection(setting.atoll.port);
  wait_for_pool(connection, setting.atoll, kPython.template_id);
  Life life(setting.atoll, kLoaded, true);
  life.run();
  bool has = life.failure().empty();
  print_value("python-default comes from a zygote", "", has ? 1 : 0);
  return has;
}

bool has_numpy(const Setting& setting) {
  Life life(setting.atoll, kNumpy, true);
  life.run();
  return life.failure().empty();
}

}  // namespace

void measure_lives(const Setting& setting) {
  bool quick = setting.quick;
  bool zygote = has_zygote(setting);
  auto all_of = [&](Contest contest) {
    one_after_the_other(contest, quick ? 30 : 300);
    after_idle(contest, quick ? 6 : 60);
    staggered(contest);
    burst(contest, quick ? 1 : 5);
    sustained(contest, quick ? 10 : 60);
  };
  all_of({setting, kPython, kBarePython, "create, print(1), delete: python-default"});
  all_of({setting, kShell, kBareShell, "create, echo 1, delete: shell-default"});
  // Without a zygote half a minute for each burst.
  if ((quick && !zygote) || !has_numpy(setting)) return;
  Contest numpy{setting, kNumpy, kBarePython, "create, a numpy result, delete"};
  burst(numpy, quick || !zygote ? 1 : 5);
}

}  // namespace atl::bench
