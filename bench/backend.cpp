// atoll-bench-backend NAME: a command in a running sandbox of one backend, without server and
// client around it. Docker's image is $ATOLL_TEST_IMAGE.
#include <cstdlib>

#include "common.hpp"

namespace atl::bench {
namespace {

Task<void> measure(Executor, Backend* backend, bool quick) {
  SandboxPtr box = co_await started(backend);
  co_await exec_in_running(box.get(), quick ? 50 : 500);
  co_await stopped(box.get());
}

}  // namespace
}  // namespace atl::bench

int main(int argc, char** argv) {
  const char* image = std::getenv("ATOLL_TEST_IMAGE");
  return atl::bench::run_bench(argc, argv, &atl::bench::measure, argc > 1 ? argv[1] : "native",
                               {{"docker.image", image != nullptr ? image : ""}});
}
