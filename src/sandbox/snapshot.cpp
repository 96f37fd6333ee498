// Sandbox::snapshot and restore: one pack for each writable folder, in one string.
#include <array>
#include <string_view>
#include <utility>

#include "guest/wire.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::sandbox {

using async::Task;

namespace {

constexpr std::string_view kSnapshotMagic = "ATLSNAP1";
// It lives in memory: larger sandboxes are streamed with get_tree.
constexpr std::size_t kMaxSnapshot = 1u << 30;
constexpr std::size_t kPiece = 128 * 1024;

struct Section {
  std::uint32_t folder = 0;  // index in writable_folders()
  std::string_view pack;
};

Result<std::vector<Section>> sections_of(std::string_view snapshot) {
  auto bad = [] { return fail(Code::kInvalidArgument, "this is not a snapshot of a sandbox"); };
  if (!snapshot.starts_with(kSnapshotMagic)) return bad();
  guest::Reader in(snapshot.substr(kSnapshotMagic.size()));
  std::vector<Section> sections;
  while (in.ok() && !in.rest().empty()) {
    Section section;
    section.folder = in.number<std::uint32_t>();
    section.pack = in.view();
    sections.push_back(section);
  }
  if (!in.ok()) return bad();
  return sections;
}

Task<Result<void>> clear_folder(Sandbox* sandbox, std::string folder) {
  ATOLL_CO_TRY(std::vector<FileInfo> entries, co_await sandbox->list(folder, 1));
  for (const FileInfo& entry : entries) {
    Result<void> removed = co_await sandbox->remove(folder + "/" + entry.path, true);
    // A mount point stays; so does what vanished by itself.
    if (!removed && removed.error().errno_value() != EBUSY &&
        removed.error().code() != Code::kNotFound) {
      co_return removed;
    }
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<std::string>> Sandbox::snapshot() {
  std::string snapshot(kSnapshotMagic);
  std::vector<std::string> folders = writable_folders();
  for (std::uint32_t i = 0; i < folders.size(); ++i) {
    ATOLL_CO_TRY(std::unique_ptr<ByteStream> pack, co_await get_tree(folders[i]));
    std::string bytes;
    for (;;) {
      ATOLL_CO_TRY(std::string piece, co_await pack->read());
      if (piece.empty()) break;
      bytes += piece;
      if (snapshot.size() + bytes.size() > kMaxSnapshot) {
        co_return fail(Code::kTooLarge, "the sandbox holds more than a snapshot can");
      }
    }
    guest::Writer section;
    section.number(i).string(bytes);
    snapshot += section.bytes();
  }
  co_return snapshot;
}

Task<Result<void>> Sandbox::restore(std::string snapshot) {
  ATOLL_CO_TRY(std::vector<Section> sections, sections_of(snapshot));
  std::vector<std::string> folders = writable_folders();
  for (const Section& section : sections) {
    if (section.folder >= folders.size()) {
      co_return fail(Code::kInvalidArgument, "the snapshot is of another kind of sandbox");
    }
    ATOLL_CO_CHECK(co_await clear_folder(this, folders[section.folder]));
    ATOLL_CO_TRY(std::unique_ptr<ByteStream> pack, co_await put_tree(folders[section.folder]));
    for (std::string_view rest = section.pack; !rest.empty();) {
      std::string_view piece = rest.substr(0, kPiece);
      ATOLL_CO_CHECK(co_await pack->write(std::string(piece)));
      rest.remove_prefix(piece.size());
    }
    ATOLL_CO_CHECK(co_await pack->finish());
  }
  co_return Result<void>();
}

}  // namespace atl::sandbox
