// store_writer URL DATA: writes without end, from several coroutines, and prints the id of each
// write once it was acknowledged. A test kills it and looks for what it printed.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "async/run.hpp"
#include "async/task_group.hpp"
#include "store/conformance/deed.hpp"

namespace atl::store {
namespace {

async::Task<void> write_on(Store* store, std::uint64_t number) {
  for (;; number += 7) {
    SessionId id = SessionId::make();
    Result<void> done = co_await store->write(make_deed(id, number));
    std::string line = done ? id.str() + "\n" : "error " + done.error().to_string() + "\n";
    // One write for a line: it is in the pipe or it is not, whenever the end comes.
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(1);
    if (!done) ::_exit(1);
  }
}

async::Task<int> run(async::Executor executor, StoreOptions options) {
  Result<std::unique_ptr<Store>> store = co_await open_store(std::move(options));
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().to_string().c_str());
    co_return 1;
  }
  async::TaskGroup writers(executor);
  for (std::uint64_t i = 0; i < 7; ++i) writers.spawn(write_on(store->get(), i));
  co_await writers.wait_idle();
  co_return 0;
}

}  // namespace
}  // namespace atl::store

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return atl::async::run_to_end<int>([&](atl::async::Executor executor) {
    return atl::store::run(executor,
                           {.executor = executor, .url = argv[1], .data_folder = argv[2]});
  });
}
