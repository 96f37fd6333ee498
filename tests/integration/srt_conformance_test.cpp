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

namespace fs = std::filesystem;

constexpr unsigned kUid = 64123;

std::string new_folder() {
  std::string pattern = (fs::temp_directory_path() / "atoll-srt-XXXXXX").string();
  return ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
}

// A copy of the guest where that user can reach it, as the build folder may lie where only root
// can.
struct Programs {
  explicit Programs(const BackendEntry& backend) {
    fs::copy_file(fs::read_symlink("/proc/self/exe").parent_path() / "atoll-guest",
                  folder + "/atoll-guest");
    if (::geteuid() != 0) return;
    if (!backend.prepare_as_root({}, kUid, kUid)) std::abort();
    ::setenv("HOME", "/nonexistent", 1);
    bool done = ::chown(folder.c_str(), kUid, kUid) == 0 && ::setgroups(0, nullptr) == 0 &&
                ::setresgid(kUid, kUid, kUid) == 0 && ::setresuid(kUid, kUid, kUid) == 0;
    if (!done) std::abort();
  }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  ~Programs() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  std::string folder = new_folder();
};

class SrtTarget final : public ConformanceTarget {
 public:
  SrtTarget() {
    backends::register_all_backends(registry_);
    static Programs programs(entry());
    programs_ = programs.folder;
    folder_ = new_folder();
  }
  // Everything that a sandbox has lies below: a case that leaves something fails here.
  ~SrtTarget() override {
    std::error_code none;  // of a case that was skipped
    for (const auto& left : fs::directory_iterator(folder_ + "/srt", none)) {
      ADD_FAILURE() << left.path() << " is left";
    }
    fs::remove_all(folder_, none);
  }

  const BackendEntry& entry() const override { return **registry_.get("srt"); }

  SandboxSpec spec() const override {
    return SandboxSpec{.id = SandboxId::make(), .limits = {.cpus = 2}};
  }

  Result<std::unique_ptr<Backend>> make(async::Executor executor) override {
    return entry().make(
        {.executor = std::move(executor), .program_folder = programs_, .state_folder = folder_});
  }

 private:
  Registry registry_;
  std::string programs_;
  std::string folder_;
};

std::unique_ptr<ConformanceTarget> make_target() { return std::make_unique<SrtTarget>(); }

INSTANTIATE_TEST_SUITE_P(Srt, Conformance, testing::Values(ConformanceKind(&make_target)));

}  // namespace
}  // namespace atl::sandbox
