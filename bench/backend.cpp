// atoll-bench-backend NAME [--quick] [-- COMMAND…]: a command in a running sandbox of one backend,
// without server and client around it, in turns with a rival's command line. Docker's image is
// $ATOLL_TEST_IMAGE.
#include <cstdlib>

#include "backends/docker/config.hpp"
#include "common.hpp"

namespace atl::bench {
namespace {

std::vector<const char*> rival;

// Ten, because a rival takes so much longer.
Task<void> measure(Executor, Backend* backend, bool quick) {
  SandboxPtr box = co_await started(backend);
  std::vector<double> own, other;
  for (int round = 0; round < (quick ? 5 : 50); ++round) {
    for (int i = 0; i < 10; ++i) own.push_back(co_await time_true(box.get()));
    if (!rival.empty()) other.push_back(time_command(rival));
  }
  print_times("exec of true in a running sandbox", "hot", std::move(own));
  if (!rival.empty()) {
    print_times("exec of true in a running sandbox", "hot", std::move(other), rival[0]);
  }
  co_await stopped(box.get());
}

}  // namespace
}  // namespace atl::bench

int main(int argc, char** argv) {
  using namespace atl::bench;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") != 0) continue;
    rival.assign(argv + i + 1, argv + argc);
    break;
  }
  atl::backends::docker::Config docker;
  if (const char* image = std::getenv("ATOLL_TEST_IMAGE")) docker.image = image;
  std::string name = argc > 1 ? argv[1] : "native";
  return run_bench(argc, argv, &measure, name, name == "docker" ? std::any(docker) : std::any());
}
