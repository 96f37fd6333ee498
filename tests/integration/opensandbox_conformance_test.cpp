// The conformance suite behind a real OpenSandbox server, which tests/support/with_opensandbox.py
// starts and names by the environment.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "backends/opensandbox/config.hpp"
#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

class OpenSandboxTarget final : public ConformanceTarget {
 public:
  OpenSandboxTarget() {
    backends::register_all_backends(registry_);
    std::string pattern =
        (std::filesystem::temp_directory_path() / "atoll-opensandbox-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~OpenSandboxTarget() override { std::filesystem::remove_all(folder_); }

  const BackendEntry& entry() const override { return **registry_.get("opensandbox"); }

  Result<std::unique_ptr<Backend>> make(async::Executor executor) override {
    const char* settings = std::getenv("ATOLL_TEST_OPENSANDBOX");
    if (settings == nullptr) {
      return fail(Code::kHostUnsupported, "run this by tests/support/with_opensandbox.py");
    }
    auto config = codec::decode<backends::opensandbox::Config>(settings, {.keep_defaults = true});
    if (!config) return fail(config.error().to_error());
    return entry().make({.executor = std::move(executor),
                         .config = *config,
                         .state_folder = folder_ + "/sandboxes"});
  }

 private:
  Registry registry_;
  std::string folder_;
};

std::unique_ptr<ConformanceTarget> make_target() { return std::make_unique<OpenSandboxTarget>(); }

INSTANTIATE_TEST_SUITE_P(OpenSandbox, Conformance, testing::Values(ConformanceKind(&make_target)));

}  // namespace
}  // namespace atl::sandbox
