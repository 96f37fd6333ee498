// kTreeGet: a directory as a pack, made while the host takes it.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "guest/connection.hpp"
#include "guest/operations.hpp"
#include "guest/pack.hpp"
#include "guest/paths.hpp"
#include "guest/server.hpp"
#include "guest/walker.hpp"

namespace atl::guest {
namespace {

class TreeGetChannel final : public SourceChannel {
 public:
  TreeGetChannel(Connection& connection, std::uint32_t id, UniqueFd root)
      : SourceChannel(connection, id), walker_(std::move(root)) {
    reply({});
    schedule();
  }

 private:
  Filled fill(std::span<char> room) override {
    std::size_t used = 0;
    while (used < room.size()) {
      if (!header_.empty()) {
        used += take_header(room.subspan(used));
      } else if (left_ > 0) {
        used += take_content(room.subspan(used));
      } else if (ended_) {
        return {used, More::kEnd};
      } else if (used > room.size() / 2 || !next_entry()) {
        break;  // enough for a frame, or a long way without anything to send
      }
    }
    return {used, More::kYes};
  }

  std::size_t take_header(std::span<char> room) {
    std::size_t size = std::min(room.size(), header_.size());
    ::memcpy(room.data(), header_.data(), size);
    header_.erase(0, size);
    return size;
  }

  // The header promised a size: a file that shrank meanwhile is filled up with zeros.
  std::size_t take_content(std::span<char> room) {
    std::size_t size = std::min<std::uint64_t>(room.size(), left_);
    ssize_t got = file_ ? ::read(file_.get(), room.data(), size) : 0;
    if (got <= 0) {
      file_.reset();
      ::memset(room.data(), 0, size);
    } else {
      size = static_cast<std::size_t>(got);
    }
    left_ -= size;
    return size;
  }

  // False when only things that cannot be packed were seen for a while.
  bool next_entry() {
    AsUser as_user(server().config());
    for (int i = 0; i < 64; ++i) {
      Walker::Step step = walker_.next();
      if (step.kind == Walker::Step::kEnd) {
        ended_ = true;
        header_ = pack_end();
        return true;
      }
      if (step.kind == Walker::Step::kEntry && pack(step)) return true;
    }
    return false;
  }

  bool pack(const Walker::Step& step) {
    FileInfo info = file_info(step.status, step.path);
    if (info.kind == FileInfo::kOther || info.path.size() > kMaxPackPath) return false;
    PackEntry entry{
        .kind = info.kind, .mode = info.mode, .mtime_ns = info.mtime_ns, .path = info.path};
    if (info.kind == FileInfo::kDirectory) walker_.enter(step);
    if (info.kind == FileInfo::kSymlink) {
      entry.target = read_link(step.dir, step.name.c_str());
      if (entry.target.empty()) return false;
    }
    if (info.kind == FileInfo::kFile) {
      file_.reset(::openat(step.dir, step.name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
      struct stat status{};
      // A fifo may have taken the file's place since it was looked at.
      if (!file_ || ::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
      left_ = entry.size = static_cast<std::uint64_t>(status.st_size);
    }
    header_ = pack_entry(entry);
    return true;
  }

  Walker walker_;
  std::string header_;
  UniqueFd file_;
  std::uint64_t left_ = 0;
  bool ended_ = false;
};

}  // namespace

ChannelPtr open_tree_get(Connection& connection, std::uint32_t id, const std::string& path) {
  auto root = open_path(path, O_RDONLY | O_DIRECTORY);
  if (!root) {
    connection.answer(id, fail(std::move(root).error()));
    return nullptr;
  }
  return std::make_unique<TreeGetChannel>(connection, id, std::move(*root));
}

}  // namespace atl::guest
