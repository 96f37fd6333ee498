#include "api/rest/snapshot_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/unique_fd.hpp"

namespace atl::api::rest {

namespace {

using async::on_pool;

std::string folder_of(const Rest& rest) { return rest.options.data_folder + "/snapshots"; }

Result<void> write_all(const UniqueFd& fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t wrote = ::write(fd.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail_errno("write snapshot");
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

Result<void> write_file(const std::string& folder, const std::string& name,
                        std::string_view bytes) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno("mkdir snapshots");
  UniqueFd dir(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir) return fail_errno("open snapshots");
  std::string part = name + ".part";
  UniqueFd fd(::openat(dir.get(), part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd) return fail_errno("create snapshot");
  Result<void> written = write_all(fd, bytes);
  if (written && ::fsync(fd.get()) != 0) written = fail_errno("fsync snapshot");
  if (written && ::renameat(dir.get(), part.c_str(), dir.get(), name.c_str()) != 0) {
    written = fail_errno("rename snapshot");
  }
  if (!written) {
    (void)::unlinkat(dir.get(), part.c_str(), 0);
    return written;
  }
  if (::fsync(dir.get()) != 0) return fail_errno("fsync snapshots");
  return {};
}

Result<std::string> read_file(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) return fail_errno("open snapshot");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got = ::read(fd.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read snapshot");
    if (got == 0) return fail(Code::kIo, "the snapshot is cut off");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

Task<Result<void>> restore(std::weak_ptr<Rest> owner, control::SandboxPtr sandbox, std::string id) {
  RestPtr rest = owner.lock();
  if (!rest) co_return fail(Code::kCancelled, "the server stops");
  ATOLL_CO_TRY(store::SnapshotRow row, co_await rest->control.store().snapshot(std::move(id)));
  ATOLL_CO_TRY(std::string bytes, co_await read_snapshot(rest, row.file));
  co_return co_await sandbox->restore(std::move(bytes));
}

}  // namespace

Task<Result<void>> write_snapshot(RestPtr rest, std::string file, std::string bytes) {
  co_return co_await on_pool(rest->pool, [folder = folder_of(*rest), &file, &bytes] {
    return write_file(folder, file, bytes);
  });
}

Task<Result<std::string>> read_snapshot(RestPtr rest, std::string file) {
  co_return co_await on_pool(rest->pool,
                             [path = folder_of(*rest) + "/" + file] { return read_file(path); });
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
  return [rest = std::move(rest)](control::SandboxPtr sandbox, std::string id) {
    return restore(rest, std::move(sandbox), std::move(id));
  };
}

}  // namespace atl::api::rest
