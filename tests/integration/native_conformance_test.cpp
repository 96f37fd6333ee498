// The conformance suite behind native walls, with the real launcher and guest beside this program.
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

// The launchers that this process started: SIGKILL, no chance to tidy up.
void kill_launchers() {
  std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (pid_t pid = 0; children >> pid;) {
    std::ifstream comm("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(comm, name);
    if (name != "atoll-launcher") continue;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

class NativeTarget final : public ConformanceTarget {
 public:
  NativeTarget() {
    backends::register_all_backends(registry_);
    std::string pattern = (std::filesystem::temp_directory_path() / "atoll-native-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  // Without a client the launcher ends by itself, and tidies up its folder if no sandbox is left.
  ~NativeTarget() override {
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    std::filesystem::remove_all(folder_);
  }

  const BackendEntry& entry() const override { return **registry_.get("native"); }

  Result<std::unique_ptr<Backend>> make(async::Executor executor) override {
    return entry().make({.executor = std::move(executor),
                         .run_folder = folder_,
                         .state_folder = folder_ + "/tokens"});
  }

  async::Task<Result<std::unique_ptr<Sandbox>>> crash_and_reattach(
      std::unique_ptr<Backend>* backend, std::unique_ptr<Sandbox> sandbox) override {
    async::Executor executor = co_await boost::asio::this_coro::executor;
    SandboxId id = sandbox->id();
    sandbox.reset();
    backend->reset();
    kill_launchers();
    ATOLL_CO_TRY(*backend, make(executor));
    co_return co_await (*backend)->reattach(id);
  }

 private:
  Registry registry_;
  std::string folder_;
};

std::unique_ptr<ConformanceTarget> make_target() { return std::make_unique<NativeTarget>(); }

INSTANTIATE_TEST_SUITE_P(Native, Conformance, testing::Values(ConformanceKind(&make_target)));

}  // namespace
}  // namespace atl::sandbox
