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

// A zygote imports these: names of modules, never a path or a second argument.
void check_key(const ZygoteKey& key) {
  demand(std::memchr(key.modules.data(), 0, key.modules.size()) != nullptr);
  demand(std::strpbrk(key.modules.data(), "/\\\n\t\"'") == nullptr);
}

void check_accepted(const CreateRequest& request) {
  demand(std::memchr(request.header.id.text.data(), 0, kBoxIdSize) != nullptr);
  demand(std::strchr(request.header.id.text.data(), '/') == nullptr);
  if (request.header.op == LauncherOp::kZygote) {
    ZygoteRequest zygote;
    std::memcpy(static_cast<void*>(&zygote), &request, sizeof zygote);
    check_key(zygote.key);
  }
  if (request.header.op != LauncherOp::kCreate) return;
  if (request.use_zygote != 0) check_key(request.zygote);
  demand(request.limits.disk_bytes <= kMaxDisk);
  demand(request.start.mount_count <= kMaxMounts && request.start.rule_count <= kMaxRules);
  demand(request.layer_count <= kMaxLayers);
  for (std::uint32_t i = 0; i < request.start.mount_count; ++i) {
    std::string_view target(request.start.mounts[i].data(), kMaxBoxPath);
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
  bool zygote = request->header.op == LauncherOp::kZygote;
  std::size_t whole = zygote ? sizeof(ZygoteRequest) : sizeof(CreateRequest);
  std::size_t claimed = used > sizeof(RequestHeader) ? whole : used;
  if (check_request(*request, claimed, data[0], header) == 0) check_accepted(*request);
  return 0;
}
