#include "control/snapshot_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/fault.hpp"
#include "base/unique_fd.hpp"
#include "base/write_all.hpp"

namespace atl::control {

using async::on_pool;
using async::Task;

namespace {

constexpr std::size_t kPiece = 1u << 20;
constexpr std::uint64_t kLook = 64u << 20;  // bytes between two looks at the free space

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

}  // namespace

// One that is being written or read.
struct SnapshotFiles::Open {
  UniqueFd folder;
  UniqueFd file;
  std::string name;
  std::uint64_t size = 0;
  node::Ledger::Reservation* place = nullptr;

  std::string part() const { return name + ".part"; }
  Result<void> create(const std::string& path, const node::SpaceFloor& floor);
  Result<void> put_in_place() const;
};

Result<void> SnapshotFiles::Open::create(const std::string& path, const node::SpaceFloor& floor) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno("mkdir snapshots");
  ATOLL_CHECK(node::check_space(path, floor));
  folder.reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return fail_errno("open snapshots");
  file.reset(
      ::openat(folder.get(), part().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) return fail_errno("create snapshot");
  return {};
}

Result<void> SnapshotFiles::Open::put_in_place() const {
  if (::fsync(file.get()) != 0) return fail_errno("fsync snapshot");
  if (::renameat(folder.get(), part().c_str(), folder.get(), name.c_str()) != 0) {
    return fail_errno("rename snapshot");
  }
  if (::fsync(folder.get()) != 0) return fail_errno("fsync snapshots");
  return {};
}

SnapshotFiles::SnapshotFiles(std::string folder, node::SpaceFloor floor)
    : folder_(std::move(folder)), floor_(floor) {}

Task<Result<void>> SnapshotFiles::append(OpenPtr open, std::string piece) {
  open->size += piece.size();
  if (open->size > kMaxBytes) {
    co_return fail(Code::kTooLarge, "the sandbox holds more than a snapshot can");
  }
  ATOLL_CO_CHECK(open->place->grow({.bytes = piece.size()}));
  bool look = open->size / kLook != (open->size - piece.size()) / kLook;
  co_return co_await on_pool(pool_, [&]() -> Result<void> {
    if (look) ATOLL_CHECK(node::check_space(folder_, floor_));
    if (!write_all(open->file.get(), piece)) return fail_errno("write snapshot");
    return {};
  });
}

Task<Result<void>> SnapshotFiles::write(OpenPtr open, sandbox::Sandbox* sandbox) {
  ATOLL_CO_CHECK(co_await on_pool(pool_, [&] { return open->create(folder_, floor_); }));
  ATOLL_CO_CHECK(co_await sandbox->snapshot(
      [this, open](std::string piece) { return append(open, std::move(piece)); }));
  fault::here("snapshot.taken");
  co_return co_await on_pool(pool_, [&] { return open->put_in_place(); });
}

Task<Result<std::uint64_t>> SnapshotFiles::save(sandbox::Sandbox* sandbox, std::string name,
                                                node::Ledger::Reservation* place) {
  if (folder_.empty()) co_return fail(Code::kUnsupported, "this server keeps no snapshots");
  auto open = std::make_shared<Open>();
  open->name = std::move(name);
  open->place = place;
  Result<void> written = co_await write(open, sandbox);
  if (written) co_return open->size;
  co_await remove(open->part());
  co_return fail(written.error());
}

Task<Result<std::string>> SnapshotFiles::next_piece(OpenPtr open) {
  co_return co_await on_pool(pool_, [&] { return read_piece(open->file); });
}

Task<Result<void>> SnapshotFiles::restore(node::SandboxPtr sandbox, std::string name) {
  auto open = std::make_shared<Open>();
  std::string path = folder_ + "/" + name;
  open->file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!open->file) co_return fail_errno("open snapshot");
  co_return co_await sandbox->restore([this, open] { return next_piece(open); });
}

Task<void> SnapshotFiles::remove(std::string name) {
  co_await on_pool(pool_, [path = folder_ + "/" + name] { (void)::unlink(path.c_str()); });
}

Task<std::vector<std::string>> SnapshotFiles::names() {
  co_return co_await on_pool(pool_, [this] {
    std::vector<std::string> all;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
      all.push_back(entry.path().filename().string());
    }
    return all;
  });
}

}  // namespace atl::control
