// The conformance suite on sandboxes without walls.
#include <filesystem>

#include "sandbox/conformance.hpp"

namespace atl::backends {
void register_fake(sandbox::Registry& registry);
}

namespace atl::sandbox {
namespace {

class FakeTarget final : public ConformanceTarget {
 public:
  FakeTarget() {
    backends::register_fake(registry_);
    std::string pattern = (std::filesystem::temp_directory_path() / "atoll-fake-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~FakeTarget() override { std::filesystem::remove_all(folder_); }

  const BackendEntry& entry() const override { return registry_.list().front(); }
  Result<std::unique_ptr<Backend>> make(async::Executor executor) override {
    return entry().make({.executor = std::move(executor), .run_folder = folder_});
  }

 private:
  Registry registry_;
  std::string folder_;
};

std::unique_ptr<ConformanceTarget> make_target() { return std::make_unique<FakeTarget>(); }

INSTANTIATE_TEST_SUITE_P(Fake, Conformance, testing::Values(ConformanceKind(&make_target)));

}  // namespace
}  // namespace atl::sandbox
