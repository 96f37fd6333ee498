// The conformance suite in containers of a real engine: run through tests/support/with_dockerd.py.
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "backends/docker/config.hpp"
#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

class DockerTarget final : public ConformanceTarget {
 public:
  DockerTarget() {
    backends::register_all_backends(registry_);
    std::string pattern = (std::filesystem::temp_directory_path() / "atoll-docker-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  ~DockerTarget() override { std::filesystem::remove_all(folder_); }

  const BackendEntry& entry() const override { return **registry_.get("docker"); }

  Result<std::unique_ptr<Backend>> make(async::Executor executor) override {
    backends::docker::Config config;
    if (const char* image = ::getenv("ATOLL_TEST_IMAGE")) config.image = image;
    return entry().make(
        {.executor = std::move(executor), .config = config, .data_folder = folder_});
  }

 private:
  Registry registry_;
  std::string folder_;
};

std::unique_ptr<ConformanceTarget> make_target() { return std::make_unique<DockerTarget>(); }

INSTANTIATE_TEST_SUITE_P(Docker, Conformance, testing::Values(ConformanceKind(&make_target)));

}  // namespace
}  // namespace atl::sandbox
