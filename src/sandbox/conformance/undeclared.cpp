// What a backend does not declare it refuses, and says so.
#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;

Task<void> undeclared(Box* box) {
  const BackendEntry& entry = box->target->entry();
  if (!entry.has(Cap::kStdin)) {
    ATOLL_EXPECT_CODE(Code::kUnsupported,
                      co_await box->sandbox->spawn({.argv = {"cat"}, .stdin_open = true}));
  }
  if (!entry.has(Cap::kTerminal)) {
    ATOLL_EXPECT_CODE(Code::kUnsupported,
                      co_await box->sandbox->spawn({.argv = {"sh"}, .terminal = TerminalSize{}}));
  }
  if (!entry.has(Cap::kGuest)) {
    ATOLL_EXPECT_CODE(Code::kUnsupported,
                      co_await box->sandbox->spawn({.argv = {"cat"}, .control = true}));
  }
  if (!entry.has(Cap::kWatch)) {
    ATOLL_EXPECT_CODE(Code::kUnsupported,
                      co_await box->sandbox->watch(box->sandbox->workspace(), false));
  }
  if (!entry.has(Cap::kConnect)) {
    ATOLL_EXPECT_CODE(Code::kUnsupported, co_await box->sandbox->connect(80));
  }
  if (!entry.has(Cap::kWritableRoot)) {
    SandboxSpec spec = box->target->spec();
    spec.writable_root = true;
    ATOLL_EXPECT_CODE(Code::kPolicyUnsupported, co_await box->backend->create(std::move(spec)));
  }
  if (!entry.has(Cap::kLimits)) {
    ATOLL_EXPECT_CODE(Code::kUnsupported, co_await box->sandbox->change_limits({}));
  }
  if (!entry.has(Cap::kNetworkPolicy)) {
    ATOLL_EXPECT_CODE(Code::kUnsupported, co_await box->sandbox->open_egress());
  }
}
TEST_P(Conformance, RefusesWhatItDoesNotDeclare) { run(&undeclared); }

}  // namespace
}  // namespace atl::sandbox
