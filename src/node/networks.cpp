#include "node/networks.hpp"

namespace atl::node {
namespace {

using async::Task;

class NoNetworks final : public Networks {
 public:
  void start(OnRefused) override {}
  Task<Result<void>> apply(SandboxPtr, NetworkGrant grant) override {
    if (!model::allows_anything(grant.policy)) co_return Result<void>();
    co_return fail(Code::kPolicyUnsupported,
                   "this server cannot give sandboxes a network: atoll-egress does not run");
  }
  Task<void> release(SandboxId) override { co_return; }
  Task<void> release_unknown() override { co_return; }
  Task<Result<std::optional<NetworkFigures>>> figures(SandboxId) override {
    co_return std::nullopt;
  }
  Task<void> stop(bool) override { co_return; }
};

}  // namespace

std::unique_ptr<Networks> no_networks() { return std::make_unique<NoNetworks>(); }

}  // namespace atl::node
