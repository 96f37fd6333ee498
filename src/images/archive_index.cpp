#include "images/archive_index.hpp"

#include "images/entry_path.hpp"
#include "images/libarchive.hpp"

namespace atl::images {
namespace {

constexpr int kMaxLinks = 8;

// A member together with all that reading it needs.
class OwnedMember final : public ByteStream {
 public:
  static Result<std::unique_ptr<ByteStream>> open(ByteSource& source, std::uint64_t header) {
    std::unique_ptr<OwnedMember> made(new OwnedMember(source, header));
    ATOLL_TRY(made->archive_, Archive::open(made->stream_, Archive::Kind::kTar));
    ATOLL_TRY(archive_entry * entry, made->archive_->next());
    if (entry == nullptr) return fail(Code::kInvalidArgument, "the archive is cut off");
    made->content_.emplace(*made->archive_);
    return std::unique_ptr<ByteStream>(std::move(made));
  }
  Result<std::span<const char>> next() override { return content_->next(); }

 private:
  OwnedMember(ByteSource& source, std::uint64_t header) : stream_(source, header) {}
  SourceStream stream_;
  std::unique_ptr<Archive> archive_;
  std::optional<MemberStream> content_;
};

// "a/b" and the link "../c/d" beside it: "c/d". Links that climb out lead nowhere.
std::string follow(const std::string& path, const std::string& link) {
  if (link_climbs_out(path, link) || link.starts_with('/')) return {};
  std::string folder = path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  for (std::string_view rest = link; !rest.empty();) {
    std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
    } else {
      if (!folder.empty()) folder += '/';
      folder += part;
    }
  }
  return folder;
}

}  // namespace

Result<ArchiveIndex> ArchiveIndex::build(ByteSource& source, const UnpackLimits& limits) {
  ArchiveIndex index(source, limits);
  ATOLL_CHECK(index.scan());
  return index;
}

Result<void> ArchiveIndex::scan() {
  SourceStream stream(*source_);
  ATOLL_TRY(std::unique_ptr<Archive> archive, Archive::open(stream, Archive::Kind::kTar));
  for (;;) {
    ATOLL_TRY(archive_entry * entry, archive->next());
    if (entry == nullptr) return {};
    if (members_.size() >= limits_.members) {
      return fail(Code::kTooLarge, "the archive has too many members");
    }
    const char* name = archive_entry_pathname(entry);
    ATOLL_TRY(std::string path, clean_path(name != nullptr ? name : "", limits_));
    const char* hard = archive_entry_hardlink(entry);
    const char* soft = archive_entry_symlink(entry);
    if (hard == nullptr && soft == nullptr && archive_entry_filetype(entry) != AE_IFREG) continue;
    Member member{.header = archive->header_position(), .file = hard == nullptr && soft == nullptr};
    if (member.file) member.size = static_cast<std::uint64_t>(archive_entry_size(entry));
    if (hard != nullptr) {
      ATOLL_TRY(member.link, clean_path(hard, limits_));
    } else if (soft != nullptr) {
      member.link = follow(path, soft);
    }
    // Two of one name: which of them was checked, and which is used?
    if (!members_.try_emplace(path, std::move(member)).second) {
      return fail(Code::kInvalidArgument, "the archive has " + shown(path) + " twice");
    }
  }
}

const ArchiveIndex::Member* ArchiveIndex::find(const std::string& path) const {
  auto at = members_.find(path);
  for (int hops = 0; at != members_.end() && hops < kMaxLinks; ++hops) {
    if (at->second.file) return &at->second;
    at = members_.find(at->second.link);
  }
  return nullptr;
}

std::uint64_t ArchiveIndex::size_of(const std::string& path) const {
  const Member* member = find(path);
  return member != nullptr ? member->size : 0;
}

Result<std::unique_ptr<ByteStream>> ArchiveIndex::open(const std::string& path) const {
  const Member* member = find(path);
  if (member == nullptr) {
    return fail(Code::kInvalidArgument, "the archive has no " + shown(path));
  }
  return OwnedMember::open(*source_, member->header);
}

Result<std::string> ArchiveIndex::read(const std::string& path, std::size_t most) const {
  if (size_of(path) > most) {
    return fail(Code::kTooLarge, shown(path) + " in the archive is too large");
  }
  ATOLL_TRY(std::unique_ptr<ByteStream> stream, open(path));
  std::string text;
  for (;;) {
    ATOLL_TRY(std::span<const char> bytes, stream->next());
    if (bytes.empty()) return text;
    text.append(bytes.data(), bytes.size());
    if (text.size() > most) {
      return fail(Code::kTooLarge, shown(path) + " in the archive is too large");
    }
  }
}

}  // namespace atl::images
