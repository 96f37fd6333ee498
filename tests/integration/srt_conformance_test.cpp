// The conformance suite behind the real srt. Started as root it goes on as nobody in particular,
// for good: srt does not run as root.
#include <grp.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

void become_ordinary(const BackendEntry& backend) {
  constexpr unsigned kUid = 64123;
  if (::geteuid() != 0) return;
  backend.as_root(kUid, kUid);
  ::setenv("HOME", "/nonexistent", 1);
  bool done = ::setgroups(0, nullptr) == 0 && ::setresgid(kUid, kUid, kUid) == 0 &&
              ::setresuid(kUid, kUid, kUid) == 0;
  if (!done) std::abort();
}

class SrtTarget final : public ConformanceTarget {
 public:
  SrtTarget() {
    backends::register_all_backends(registry_);
    become_ordinary(entry());
    std::string pattern = (std::filesystem::temp_directory_path() / "atoll-srt-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
  }
  // Everything that a sandbox has lies below: a case that leaves something fails here.
  ~SrtTarget() override {
    std::error_code none;  // of a case that was skipped
    for (const auto& left : std::filesystem::directory_iterator(folder_ + "/srt", none)) {
      ADD_FAILURE() << left.path() << " is left";
    }
    std::filesystem::remove_all(folder_);
  }

  const BackendEntry& entry() const override { return **registry_.get("srt"); }

  SandboxSpec spec() const override {
    return SandboxSpec{.id = SandboxId::make(), .limits = {.cpus = 2}};
  }

  Result<std::unique_ptr<Backend>> make(async::Executor executor) override {
    return entry().make({.executor = std::move(executor), .settings = {{"state_folder", folder_}}});
  }

 private:
  Registry registry_;
  std::string folder_;
};

std::unique_ptr<ConformanceTarget> make_target() { return std::make_unique<SrtTarget>(); }

INSTANTIATE_TEST_SUITE_P(Srt, Conformance, testing::Values(ConformanceKind(&make_target)));

}  // namespace
}  // namespace atl::sandbox
