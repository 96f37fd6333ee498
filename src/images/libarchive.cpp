#include "images/libarchive.hpp"

namespace atl::images {

la_ssize_t Archive::on_read(archive* handle, void* self, const void** bytes) {
  auto* me = static_cast<Archive*>(self);
  Result<std::span<const char>> got = me->from_.next();
  if (!got) {
    me->error_ = std::move(got).error();
    archive_set_error(handle, EIO, "the stream below failed");
    return ARCHIVE_FATAL;
  }
  *bytes = got->data();
  return static_cast<la_ssize_t>(got->size());
}

la_int64_t Archive::on_skip(archive*, void* self, la_int64_t count) {
  if (count <= 0) return 0;
  std::uint64_t passed = static_cast<Archive*>(self)->from_.skip(static_cast<std::uint64_t>(count));
  return static_cast<la_int64_t>(passed);
}

Result<std::unique_ptr<Archive>> Archive::open(ByteStream& from, Kind kind) {
  std::unique_ptr<Archive> made(new Archive(from));
  ATOLL_CHECK(made->start(kind));
  return made;
}

Result<void> Archive::start(Kind kind) {
  handle_.reset(archive_read_new());
  archive* handle = handle_.get();
  if (handle == nullptr) return fail(Code::kResourceExhausted, "out of memory");
  // Only what images are made of: every other format is code that hostile bytes could reach.
  int ready = ARCHIVE_OK;
  if (kind == Kind::kTar) {
    ready = archive_read_support_format_tar(handle);
  } else {
    ready = archive_read_support_filter_gzip(handle) | archive_read_support_filter_zstd(handle) |
            archive_read_support_format_raw(handle) | archive_read_support_format_empty(handle);
  }
  ready |= archive_read_set_read_callback(handle, &on_read);
  ready |= archive_read_set_skip_callback(handle, &on_skip);
  ready |= archive_read_set_callback_data(handle, this);
  if (ready != ARCHIVE_OK) return fail(Code::kHostUnsupported, "libarchive lacks gzip or zstd");
  if (archive_read_open1(handle) != ARCHIVE_OK) return broken();
  // One layer of compression and no more: each one multiplies what a small archive can become.
  if (archive_filter_count(handle) > 2) {
    return fail(Code::kInvalidArgument, "the archive is compressed more than once");
  }
  return {};
}

std::unexpected<Error> Archive::broken() {
  if (error_) return fail(*error_);
  const char* why = archive_error_string(handle_.get());
  std::string sentence = "the archive is damaged or cut off";
  if (why != nullptr) sentence += std::string(": ") + why;
  return fail(Code::kInvalidArgument, std::move(sentence));
}

Result<archive_entry*> Archive::next() {
  archive_entry* entry = nullptr;
  int status = archive_read_next_header(handle_.get(), &entry);
  if (status == ARCHIVE_EOF) return nullptr;
  // A warning is about a name that fits no character set (it is kept as bytes) or an attribute that
  // nobody understands.
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return broken();
  return entry;
}

Result<std::optional<Archive::Block>> Archive::read() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  int status = archive_read_data_block(handle_.get(), &bytes, &size, &offset);
  if (status == ARCHIVE_EOF) return std::nullopt;
  if (status != ARCHIVE_OK || offset < 0) return broken();
  return Block{static_cast<std::uint64_t>(offset), {static_cast<const char*>(bytes), size}};
}

std::uint64_t Archive::header_position() const {
  return static_cast<std::uint64_t>(archive_read_header_position(handle_.get()));
}

Result<std::span<const char>> MemberStream::next() {
  for (;;) {
    ATOLL_TRY(std::optional<Archive::Block> block, archive_.read());
    if (!block) return std::span<const char>{};
    if (block->bytes.empty()) continue;
    if (block->offset != position_) {
      return fail(Code::kInvalidArgument, "a member of the archive has holes");
    }
    position_ += block->bytes.size();
    return block->bytes;
  }
}

Result<std::unique_ptr<UnpackingStream>> UnpackingStream::open(ByteStream& from) {
  ATOLL_TRY(std::unique_ptr<Archive> archive, Archive::open(from, Archive::Kind::kPacked));
  // The one member that a bare stream consists of; an empty stream has none.
  ATOLL_TRY(archive_entry * member, archive->next());
  bool empty = member == nullptr;
  return std::unique_ptr<UnpackingStream>(new UnpackingStream(std::move(archive), empty));
}

Result<std::span<const char>> UnpackingStream::next() {
  if (empty_) return std::span<const char>{};
  return content_.next();
}

}  // namespace atl::images
