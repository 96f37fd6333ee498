#include "engine/request_check.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace atl::engine {
namespace {

// The text in a field of a request; empty when it has no end.
template <std::size_t N>
std::string_view text_of(const std::array<char, N>& field) {
  return std::memchr(field.data(), 0, N) != nullptr ? field.data() : "";
}

// Ids are compared as bytes and name files as text: both must be the same, so nothing follows the
// end of the text.
bool is_padded(const BoxId& id) {
  BoxId text;
  std::ranges::copy(text_of(id.text), text.text.begin());
  return text.text == id.text;
}

bool made_of(std::string_view allowed, std::string_view text) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}
constexpr std::string_view kIdLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr std::string_view kModuleLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.- ";
constexpr std::string_view kHostLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";

// Absolute, without "." and "..", not the root itself.
bool valid_path(std::string_view text) {
  if (text.size() < 2 || text[0] != '/') return false;
  text.remove_prefix(1);
  while (!text.empty()) {
    std::size_t end = std::min(text.find('/'), text.size());
    std::string_view part = text.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// Places that the walls themselves stand on.
bool reserved(std::string_view text) {
  for (std::string_view place : {"/proc", "/dev", "/mnt", "/opt/atoll"}) {
    if (text == place || (text.starts_with(place) && text[place.size()] == '/')) return true;
  }
  return false;
}

bool valid_limits(const Limits& limits) {
  auto within = [](std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    return value >= least && value <= most;
  };
  return within(limits.memory_bytes, 1 << 20, kMaxMemory) &&
         within(limits.disk_bytes, 4096, kMaxDisk) && limits.inodes <= (1ull << 32) &&
         within(limits.cpu_milli, 1, kMaxCpuMilli) && within(limits.pids, 1, kMaxPids) &&
         within(limits.open_files, 8, 1 << 20);
}

// Names of modules, never paths.
bool valid_zygote(const ZygoteKey& key) {
  return key.memory_bytes >= (16u << 20) && key.memory_bytes <= (1ull << 40) &&
         key.modules.back() == 0 &&
         text_of(key.modules).find_first_not_of(kModuleLetters) == std::string_view::npos;
}

}  // namespace

int check_request(CreateRequest& request, std::size_t size, std::size_t descriptors,
                  RequestHeader& header) {
  if (size < sizeof(RequestHeader)) return EBADMSG;
  header = request.header;
  if (header.magic != kLauncherMagic || header.version != kLauncherVersion) return EBADMSG;
  bool named = made_of(kIdLetters, text_of(header.id.text)) && is_padded(header.id);
  bool bare = size == sizeof(RequestHeader) && descriptors == 0;
  switch (header.op) {
    case LauncherOp::kCreate: break;
    case LauncherOp::kList: return bare && header.id.text == BoxId{}.text ? 0 : EBADMSG;
    case LauncherOp::kDestroy:
    case LauncherOp::kFreeze:
    case LauncherOp::kThaw:
    case LauncherOp::kEgress:
    case LauncherOp::kUsage: return bare && named ? 0 : EBADMSG;
    case LauncherOp::kLimits:
      if (size != sizeof(LimitsRequest) || descriptors != 0 || !named) return EBADMSG;
      return valid_limits(request.limits) ? 0 : EINVAL;
    case LauncherOp::kZygote: {
      ZygoteRequest zygote;
      if (size != sizeof zygote || descriptors > 1 || !named) return EBADMSG;
      std::memcpy(&zygote, &request, sizeof zygote);
      return valid_zygote(zygote.key) ? 0 : EBADMSG;
    }
    default: return EBADMSG;
  }
  bool zygote = request.use_zygote == 1 && valid_zygote(request.zygote);
  if (size != sizeof(CreateRequest) || !named || (request.use_zygote != 0 && !zygote) ||
      !made_of(kHostLetters, text_of(request.start.hostname)) ||
      request.start.mount_count > kMaxMounts || request.layer_count > kMaxLayers ||
      request.connected > 1 || request.start.writable_root > 1 ||
      request.start.mount_count + request.layer_count + request.connected != descriptors) {
    return EBADMSG;
  }
  // A zygote's interpreter is the host's: an image has its own.
  if (request.layer_count != 0 && request.use_zygote != 0) return EINVAL;
  if (request.start.rule_count > kMaxRules || !valid_limits(request.limits)) return EINVAL;
  for (std::uint32_t i = 0; i < request.start.mount_count; ++i) {
    std::string_view target = text_of(request.start.mounts[i]);
    if (!valid_path(target) || reserved(target)) return EINVAL;
  }
  for (std::uint32_t i = 0; i < request.start.rule_count; ++i) {
    if (!valid_path(text_of(request.start.rules[i].path))) return EINVAL;
  }
  return 0;
}

}  // namespace atl::engine
