// Sandbox::snapshot and restore: the packs of all writable folders, in pieces, one after another.
#include <string_view>
#include <utility>

#include "guest/wire.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::sandbox {

using async::Task;

namespace {

constexpr std::string_view kMagic = "ATLSNAP2";
constexpr std::size_t kHead = 8;  // of a piece: index in writable_folders(), size; 0: its last
constexpr std::size_t kMaxPiece = 16u << 20;
constexpr std::size_t kAtOnce = 1u << 20;

std::string head_of(std::uint32_t folder, std::size_t size) {
  guest::Writer head;
  head.number(folder).number(static_cast<std::uint32_t>(size));
  return std::move(head).bytes();
}

// What has come of a snapshot and is not used yet.
struct Incoming {
  Sandbox::GetPiece get;
  std::string bytes;
  std::size_t begin = 0;

  std::size_t left() const { return bytes.size() - begin; }
  std::string take(std::size_t size) {
    begin += size;
    return bytes.substr(begin - size, size);
  }
};

// False: it ended before there were so many bytes.
Task<Result<bool>> gather(Incoming* in, std::size_t size) {
  if (in->left() >= size) co_return true;
  in->bytes.erase(0, std::exchange(in->begin, 0));
  while (in->bytes.size() < size) {
    ATOLL_CO_TRY(std::string piece, co_await in->get());
    if (piece.empty()) co_return false;
    in->bytes += piece;
  }
  co_return true;
}

std::unexpected<Error> no_snapshot() {
  return fail(Code::kInvalidArgument, "this is not a whole snapshot of a sandbox");
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

// One folder, from its first piece to its last.
Task<Result<void>> restore_folder(Sandbox* sandbox, Incoming* in, std::string folder,
                                  std::uint32_t index, std::size_t size) {
  ATOLL_CO_CHECK(co_await clear_folder(sandbox, folder));
  ATOLL_CO_TRY(std::unique_ptr<ByteStream> pack, co_await sandbox->put_tree(folder));
  while (size > 0) {
    ATOLL_CO_TRY(bool whole, co_await gather(in, size + kHead));
    if (!whole) co_return no_snapshot();
    ATOLL_CO_CHECK(co_await pack->write(in->take(size)));
    std::string head = in->take(kHead);
    guest::Reader next(head);
    if (next.number<std::uint32_t>() != index) co_return no_snapshot();
    size = next.number<std::uint32_t>();
    if (size > kMaxPiece) co_return no_snapshot();
  }
  co_return co_await pack->finish();
}

}  // namespace

Task<Result<void>> Sandbox::snapshot(PutPiece put) {
  std::string out(kMagic);
  std::vector<std::string> folders = writable_folders();
  for (std::uint32_t i = 0; i < folders.size(); ++i) {
    ATOLL_CO_TRY(std::unique_ptr<ByteStream> pack, co_await get_tree(folders[i]));
    for (bool more = true; more;) {
      ATOLL_CO_TRY(std::string piece, co_await pack->read());
      more = !piece.empty();
      out += head_of(i, piece.size());
      out += piece;
      if (out.size() >= kAtOnce) ATOLL_CO_CHECK(co_await put(std::exchange(out, {})));
    }
  }
  if (!out.empty()) ATOLL_CO_CHECK(co_await put(std::move(out)));
  co_return Result<void>();
}

Task<Result<void>> Sandbox::restore(GetPiece get) {
  Incoming in{.get = std::move(get)};
  ATOLL_CO_TRY(bool begun, co_await gather(&in, kMagic.size()));
  if (!begun || in.take(kMagic.size()) != kMagic) co_return no_snapshot();
  std::vector<std::string> folders = writable_folders();
  for (;;) {
    ATOLL_CO_TRY(bool more, co_await gather(&in, kHead));
    if (!more && in.left() == 0) co_return Result<void>();
    if (!more) co_return no_snapshot();
    std::string head = in.take(kHead);
    guest::Reader first(head);
    auto index = first.number<std::uint32_t>();
    std::size_t size = first.number<std::uint32_t>();
    if (index >= folders.size() || size > kMaxPiece) {
      co_return fail(Code::kInvalidArgument, "the snapshot is of another kind of sandbox");
    }
    ATOLL_CO_CHECK(co_await restore_folder(this, &in, folders[index], index, size));
  }
}

}  // namespace atl::sandbox
