#include "engine/request_check.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace atl::engine {
namespace {

template <std::size_t N>
bool terminated(const std::array<char, N>& text) {
  return std::memchr(text.data(), 0, N) != nullptr;
}

bool valid_id(const BoxId& id) {
  if (!terminated(id.text) || id.text[0] == '\0') return false;
  std::string_view text(id.text.data());
  return std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

bool valid_hostname(const std::array<char, 64>& name) {
  if (!terminated(name) || name[0] == '\0') return false;
  std::string_view text(name.data());
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

// Absolute, without "." and "..", not the root itself.
bool valid_path(const std::array<char, kMaxBoxPath>& path) {
  if (!terminated(path) || path[0] != '/' || path[1] == '\0') return false;
  std::string_view text(path.data() + 1);
  while (!text.empty()) {
    std::size_t end = std::min(text.find('/'), text.size());
    std::string_view part = text.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// Places that the walls themselves stand on.
bool reserved(const std::array<char, kMaxBoxPath>& path) {
  std::string_view text(path.data());
  for (std::string_view place : {"/proc", "/dev", "/mnt", "/opt/atoll"}) {
    if (text == place || (text.starts_with(place) && text[place.size()] == '/')) return true;
  }
  return false;
}

bool valid_limits(const Limits& limits) {
  return limits.memory_bytes >= (1u << 20) && limits.disk_bytes >= 4096 && limits.disk_bytes <= (1ull << 50) &&
         limits.inodes <= (1ull << 32) && limits.cpu_milli >= 1 && limits.pids >= 1 && limits.open_files >= 8 &&
         limits.open_files <= (1u << 20);
}

}  // namespace

int check_request(CreateRequest& request, std::size_t size, std::size_t descriptors, RequestHeader& header) {
  if (size < sizeof(RequestHeader)) return EBADMSG;
  header = request.header;
  if (header.magic != kLauncherMagic || header.version != kLauncherVersion) return EBADMSG;
  switch (header.op) {
    case LauncherOp::kCreate: break;
    case LauncherOp::kList: return size == sizeof(RequestHeader) && descriptors == 0 ? 0 : EBADMSG;
    case LauncherOp::kDestroy:
    case LauncherOp::kFreeze:
    case LauncherOp::kThaw:
    case LauncherOp::kUsage:
      return size == sizeof(RequestHeader) && descriptors == 0 && valid_id(header.id) ? 0 : EBADMSG;
    default: return EBADMSG;
  }
  if (size != sizeof(CreateRequest) || !valid_id(header.id) || !valid_hostname(request.hostname)) return EBADMSG;
  if (request.mount_count > kMaxMounts || request.mount_count != descriptors) return EBADMSG;
  if (request.rule_count > kMaxRules || !valid_limits(request.limits)) return EINVAL;
  for (std::uint32_t i = 0; i < request.mount_count; ++i) {
    if (!valid_path(request.mounts[i].target) || reserved(request.mounts[i].target)) return EINVAL;
  }
  for (std::uint32_t i = 0; i < request.rule_count; ++i) {
    if (!valid_path(request.rules[i].path)) return EINVAL;
  }
  return 0;
}

}  // namespace atl::engine
