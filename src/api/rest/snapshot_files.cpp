#include "api/rest/snapshot_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "api/limits.hpp"
#include "base/fault.hpp"
#include "base/unique_fd.hpp"

namespace atl::api::rest {

namespace {

using async::on_pool;

constexpr std::size_t kPiece = 1u << 20;
constexpr std::uint64_t kLook = 64u << 20;

std::string folder_of(const Rest& rest) { return rest.options.data_folder + "/snapshots"; }

Result<void> check_space(const Rest& rest) {
  return node::check_space(rest.options.data_folder, rest.control.floor());
}

// One that is being written or read.
struct Open {
  RestPtr rest;
  UniqueFd folder;
  UniqueFd file;
  std::string name;
  std::uint64_t size = 0;
  node::Ledger::Reservation* place = nullptr;

  std::string part() const { return name + ".part"; }
};
using OpenPtr = std::shared_ptr<Open>;

Result<void> create(Open& open, const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno("mkdir snapshots");
  open.folder.reset(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open.folder) return fail_errno("open snapshots");
  open.file.reset(::openat(open.folder.get(), open.part().c_str(),
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!open.file) return fail_errno("create snapshot");
  return {};
}

Result<void> write_all(const UniqueFd& fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t wrote = ::write(fd.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail_errno("write snapshot");
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

Result<void> put_in_place(const Open& open) {
  if (::fsync(open.file.get()) != 0) return fail_errno("fsync snapshot");
  if (::renameat(open.folder.get(), open.part().c_str(), open.folder.get(), open.name.c_str()) !=
      0) {
    return fail_errno("rename snapshot");
  }
  if (::fsync(open.folder.get()) != 0) return fail_errno("fsync snapshots");
  return {};
}

Task<Result<void>> append(OpenPtr open, std::string piece) {
  open->size += piece.size();
  if (open->size > kMaxSnapshotBytes) {
    co_return fail(Code::kTooLarge, "the sandbox holds more than a snapshot can");
  }
  ATOLL_CO_CHECK(open->place->grow({.bytes = piece.size()}));
  // Now and then: a look at the disk costs more than a small piece.
  bool look = open->size / kLook != (open->size - piece.size()) / kLook;
  co_return co_await on_pool(open->rest->pool, [&]() -> Result<void> {
    if (look) ATOLL_CHECK(check_space(*open->rest));
    return write_all(open->file, piece);
  });
}

Task<Result<void>> write_snapshot(OpenPtr open, sandbox::Sandbox* sandbox) {
  ATOLL_CO_CHECK(co_await on_pool(open->rest->pool, [&open]() -> Result<void> {
    ATOLL_CHECK(check_space(*open->rest));
    return create(*open, folder_of(*open->rest));
  }));
  ATOLL_CO_CHECK(co_await sandbox->snapshot(
      [open](std::string piece) { return append(open, std::move(piece)); }));
  fault::here("snapshot.taken");
  co_return co_await on_pool(open->rest->pool, [&open] { return put_in_place(*open); });
}

Result<std::string> read_piece(const UniqueFd& fd) {
  std::string piece(kPiece, '\0');
  ssize_t got = 0;
  do {
    got = ::read(fd.get(), piece.data(), piece.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail_errno("read snapshot");
  piece.resize(static_cast<std::size_t>(got));
  return piece;
}

Task<Result<std::string>> next_piece(OpenPtr open) {
  co_return co_await on_pool(open->rest->pool, [&open] { return read_piece(open->file); });
}

Task<Result<void>> restore(std::weak_ptr<Rest> owner, node::SandboxPtr sandbox, std::string id) {
  RestPtr rest = owner.lock();
  if (!rest) co_return fail(Code::kCancelled, "the server stops");
  ATOLL_CO_TRY(store::SnapshotRow row, co_await rest->control.store().snapshot(std::move(id)));
  auto open = std::make_shared<Open>();
  std::string path = folder_of(*rest) + "/" + row.file;
  open->file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  open->rest = std::move(rest);
  if (!open->file) co_return fail_errno("open snapshot");
  co_return co_await sandbox->restore([open] { return next_piece(open); });
}

}  // namespace

Task<Result<std::uint64_t>> save_snapshot(RestPtr rest, sandbox::Sandbox* sandbox, std::string file,
                                          node::Ledger::Reservation* place) {
  auto open = std::make_shared<Open>();
  open->rest = rest;
  open->name = std::move(file);
  open->place = place;
  Result<void> written = co_await write_snapshot(open, sandbox);
  if (written) co_return open->size;
  co_await remove_snapshot_file(std::move(rest), open->part());
  co_return fail(written.error());
}

Task<void> remove_snapshot_file(RestPtr rest, std::string file) {
  co_await on_pool(rest->pool,
                   [path = folder_of(*rest) + "/" + file] { (void)::unlink(path.c_str()); });
}

std::vector<std::string> snapshot_files(const Rest& rest) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(rest), failed)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

Task<void> remove_forgotten(RestPtr rest, std::vector<std::string> files) {
  for (const std::string& file : files) {
    Result<store::SnapshotRow> row = co_await rest->control.store().snapshot(file);
    if (!row && row.error().code() == Code::kNotFound) co_await remove_snapshot_file(rest, file);
  }
}

control::Sessions::Restore restore_from(std::weak_ptr<Rest> rest) {
  return [rest = std::move(rest)](node::SandboxPtr sandbox, std::string id) {
    return restore(rest, std::move(sandbox), std::move(id));
  };
}

}  // namespace atl::api::rest
