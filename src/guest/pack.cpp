#include "guest/pack.hpp"

#include <algorithm>
#include <cstring>

#include "guest/wire.hpp"

namespace atl::guest {
namespace {

constexpr std::size_t kFixed = 1 + 4 + 8 + 8;  // kind, mode, mtime, size
constexpr std::string_view kEndMark("\0", 1);

// How many bytes the header takes as far as `head` tells, or 0 for an absurd length.
std::size_t header_size(std::string_view head) {
  if (head[0] == 0) return 1;
  std::size_t size = kFixed;
  for (int i = 0; i < 2; ++i) {  // path, target
    if (head.size() < size + 4) return size + 4;
    std::uint32_t length = 0;
    std::memcpy(&length, head.data() + size, 4);
    if (length > kMaxPackPath) return 0;
    size += 4 + length;
  }
  return size;
}

}  // namespace

bool valid_pack_path(std::string_view path) {
  if (path.empty() || path.size() > kMaxPackPath) return false;
  if (path.find('\0') != std::string_view::npos) return false;
  for (;;) {
    std::size_t slash = path.find('/');
    std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::string_view pack_end() { return kEndMark; }

std::unexpected<Error> PackReader::bad(const char* why) {
  state_ = State::kBad;
  return fail(Code::kInvalidArgument, why);
}

Result<PackReader::Event> PackReader::next(std::string_view& input) {
  content_ = {};
  switch (state_) {
    case State::kBad: return bad("The pack is malformed.");
    case State::kHeader: return read_header(input);
    case State::kEnded:
      if (!input.empty()) return bad("The pack goes on after its end.");
      return Event::kEnd;
    case State::kBody: break;
  }
  if (left_ == 0) {
    state_ = State::kHeader;
    return Event::kDone;
  }
  if (input.empty()) return Event::kMore;
  content_ = input.substr(0, std::min<std::uint64_t>(left_, input.size()));
  input.remove_prefix(content_.size());
  left_ -= content_.size();
  return Event::kContent;
}

Result<PackReader::Event> PackReader::read_header(std::string_view& input) {
  for (;;) {
    std::size_t need = header_.empty() ? 1 : header_size(header_);
    if (need == 0) return bad("The pack has a path that is too long.");
    if (header_.size() == need && header_size(header_) == need) break;
    if (input.empty()) return Event::kMore;
    std::size_t take = std::min(need - header_.size(), input.size());
    header_.append(input.substr(0, take));
    input.remove_prefix(take);
  }
  if (header_ == kEndMark) {
    state_ = State::kEnded;
    return Event::kEnd;
  }
  Reader in(header_);
  decode(in, entry_);
  header_.clear();
  if (!in.done()) return bad("The pack is malformed.");
  if (entry_.kind < FileInfo::kFile || entry_.kind > FileInfo::kSymlink) {
    return bad("The pack has an entry of an unknown kind.");
  }
  if (!valid_pack_path(entry_.path)) return bad("The pack has a path that leads elsewhere.");
  if ((entry_.mode & ~07777u) != 0) return bad("The pack has an entry with a malformed mode.");
  bool link = entry_.kind == FileInfo::kSymlink;
  bool target_ok = link ? !entry_.target.empty() && entry_.target.find('\0') == std::string::npos
                        : entry_.target.empty();
  if (!target_ok) return bad("The pack has a malformed symbolic link.");
  if (entry_.kind != FileInfo::kFile && entry_.size != 0) {
    return bad("The pack has content for an entry that is not a file.");
  }
  if (++entries_ > limits_.entries) return bad("The pack has too many entries.");
  if (entry_.size > limits_.bytes - bytes_) return bad("The pack is too large.");
  bytes_ += entry_.size;
  left_ = entry_.size;
  state_ = State::kBody;
  return Event::kEntry;
}

}  // namespace atl::guest
