// Many clients in a closed loop: each creates a session, uses it once, deletes it, and begins
// again. Who waits first must be served first: then the slowest creates are near the median.
#include "api.hpp"
#include "lives.hpp"

namespace atl::bench {

void measure_crowd(const Setting& setting, int clients) {
  const int seconds = setting.quick ? 5 : 20;
  Connection connection(setting.atoll.port);
  wait_for_pool(connection, setting.atoll, kShell.template_id);
  std::vector<Life> lives;
  for (int i = 0; i < clients; ++i) lives.emplace_back(setting.atoll, kShell, false);
  std::vector<double> creates, wholes;
  int failed = 0;
  Clock::time_point start = Clock::now();
  run_together(lives, std::chrono::microseconds(0), [&](Life& life) {
    if (life.failure().empty()) {
      creates.push_back(life.create_time());
      wholes.push_back(life.whole_time());
    } else if (failed++ == 0) {
      std::fprintf(stderr, "failed: %s\n", life.failure().c_str());
    }
    return ms_since(start) < 1000 * seconds;
  });
  double took = ms_since(start) / 1000;
  if (creates.empty()) give_up("no client got a session");
  std::string mode = std::to_string(clients) + " clients";
  print_value("crowd: lives", "per s", static_cast<double>(creates.size()) / took, "atoll",
              mode.c_str());
  print_value("crowd: failed", "", failed, "atoll", mode.c_str());
  print_times("crowd: create", mode.c_str(), std::move(creates));
  print_times("crowd: life", mode.c_str(), std::move(wholes));
}

}  // namespace atl::bench
