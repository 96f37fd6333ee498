#include "node/networks.hpp"

namespace atl::node {
namespace {

class NoNetworks final : public Networks {
 public:
  async::Task<Result<void>> change(SandboxId /*id*/, model::NetworkPolicy policy) override {
    if (!model::allows_anything(policy)) co_return Result<void>();
    co_return fail(Code::kPolicyUnsupported, "nothing here can enforce a network policy");
  }
  async::Task<Result<std::optional<NetworkFigures>>> figures(SandboxId /*id*/) override {
    co_return std::optional<NetworkFigures>();
  }
};

}  // namespace

std::unique_ptr<Networks> no_networks() { return std::make_unique<NoNetworks>(); }

}  // namespace atl::node
