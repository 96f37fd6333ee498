// Any bytes as a request to the launcher: the check must say no or leave only what is safe to act
// on.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "engine/request_check.hpp"

namespace {

using namespace atl::engine;

// What create_box() relies on.
void demand(bool fact) {
  if (!fact) std::abort();
}

void check_accepted(const CreateRequest& request) {
  demand(std::memchr(request.header.id.text.data(), 0, kBoxIdSize) != nullptr);
  demand(std::strchr(request.header.id.text.data(), '/') == nullptr);
  if (request.header.op != LauncherOp::kCreate) return;
  demand(request.mount_count <= kMaxMounts && request.rule_count <= kMaxRules);
  demand(request.layer_count <= kMaxLayers);
  for (std::uint32_t i = 0; i < request.mount_count; ++i) {
    std::string_view target(request.mounts[i].target.data(), kMaxBoxPath);
    demand(target.find('\0') != std::string_view::npos);
    target = target.substr(0, target.find('\0'));
    demand(target.starts_with('/') && target.find("/../") == std::string_view::npos &&
           !target.ends_with("/.."));
    demand(!target.starts_with("/proc/") && target != "/proc" && target != "/");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto request = std::make_unique<CreateRequest>();
  std::size_t used = std::min(size - 1, sizeof(CreateRequest));
  std::memcpy(static_cast<void*>(request.get()), data + 1, used);
  RequestHeader header;
  // Short inputs stand for a whole request whose rest is zero: else every one would fail on its
  // size.
  std::size_t claimed = used > sizeof(RequestHeader) ? sizeof(CreateRequest) : used;
  if (check_request(*request, claimed, data[0], header) == 0) check_accepted(*request);
  return 0;
}
