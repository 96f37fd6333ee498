#include "contexts/collector.hpp"

#include <algorithm>
#include <utility>

namespace atl::contexts {

void Collector::take(RunEvent event) {
  switch (event.kind) {
    case EventKind::kStdout: return keep_text(result_.stdout_bytes, event.bytes);
    case EventKind::kStderr: return keep_text(result_.stderr_bytes, event.bytes);
    case EventKind::kResult: return keep_bundle(true, std::move(event.bundle));
    case EventKind::kDisplay: return keep_bundle(false, std::move(event.bundle));
    case EventKind::kError:
      if (!result_.error) result_.error = std::move(event.error);
      return;
  }
}

void Collector::keep_text(std::string& into, std::string_view bytes) {
  if (most_ == 0) return;
  std::uint64_t room = most_ - std::min<std::uint64_t>(most_, into.size());
  if (bytes.size() > room) result_.truncated = true;
  std::string_view kept = bytes.substr(0, std::min<std::uint64_t>(room, bytes.size()));
  into += kept;
  result_.output += kept;
}

void Collector::keep_bundle(bool is_result, Bundle bundle) {
  std::uint64_t size = bundle.text().size() + kPerBundle;
  if (size > kMaxShown - shown_) {
    result_.truncated = true;
    return;
  }
  shown_ += size;
  result_.shown.push_back({.is_result = is_result, .bundle = std::move(bundle)});
}

}  // namespace atl::contexts
