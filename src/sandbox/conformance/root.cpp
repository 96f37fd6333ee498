// A root that can be written: asked for, it is there, and it is nobody else's.
#include <algorithm>

#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;

constexpr const char* kMake = "mkdir /atoll-conformance && echo made";
constexpr const char* kLook = "test -e /atoll-conformance && echo there";
constexpr const char* kReadOnly = "Read-only file system";

bool is_read_only(const Sandbox& sandbox) {
  const Isolation isolation = sandbox.status().isolation;
  return std::ranges::find(isolation.layers, "read_only_root") != isolation.layers.end();
}

Task<void> writable_root(Box* box) {
  SandboxSpec spec = box->target->spec();
  spec.writable_root = true;
  ATOLL_NEED(auto open, co_await box->backend->create(std::move(spec)));
  ATOLL_NEED_OK(co_await open->start());
  EXPECT_FALSE(is_read_only(*open));
  ATOLL_NEED(ExecResult alive, co_await open->exec({.argv = {"echo", "alive"}}));
  EXPECT_EQ(alive.stdout_bytes, "alive\n");
  // Without any walls the root is the host's.
  if (box->target->entry().isolation != IsolationKind::kNone) {
    ATOLL_NEED(ExecResult made, co_await open->exec(ExecRequest::shell(kMake)));
    // Whether the user owns the root is the image's affair.
    bool refused = made.stderr_bytes.find("Permission denied") != std::string::npos;
    EXPECT_TRUE(made.stdout_bytes == "made\n" || refused) << made.stderr_bytes;
    ATOLL_NEED(ExecResult there, co_await box->sandbox->exec(ExecRequest::shell(kLook)));
    EXPECT_EQ(there.stdout_bytes, "");
  }
  ATOLL_NEED_OK(co_await open->stop());
  if (!is_read_only(*box->sandbox)) co_return;
  ATOLL_NEED(ExecResult closed, co_await box->sandbox->exec(ExecRequest::shell(kMake)));
  EXPECT_NE(closed.stderr_bytes.find(kReadOnly), std::string::npos) << closed.stderr_bytes;
}
TEST_P(Conformance, TheRootIsWritableForWhoAsks) { run(&writable_root, {Cap::kWritableRoot}); }

}  // namespace
}  // namespace atl::sandbox
