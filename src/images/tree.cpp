#include "images/tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "base/ids.hpp"
#include "base/write_all.hpp"

namespace atl::images {
namespace {

// Layers are at most 256 folders deep; this is only about not running out of descriptors.
constexpr int kMaxDepth = 400;

Result<void> remove_below(int at, const std::string& name, int depth) {
  // Folders of an ordinary user's layers may have lost the permissions that this takes.
  (void)::fchmodat(at, name.c_str(), 0700, 0);
  ATOLL_TRY(UniqueFd folder, open_folder(at, name.c_str()));
  ATOLL_TRY(std::vector<std::string> names, list_folder(folder));
  for (const std::string& entry : names) {
    if (::unlinkat(folder.get(), entry.c_str(), 0) == 0 || errno == ENOENT) continue;
    if (errno != EISDIR && errno != EPERM) return fail_errno("removing a file of an image");
    if (depth >= kMaxDepth) return fail(Code::kTooLarge, "a layer's folders are too deep");
    ATOLL_CHECK(remove_below(folder.get(), entry, depth + 1));
  }
  if (::unlinkat(at, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
    return fail_errno("removing a folder of an image");
  }
  return {};
}

}  // namespace

Result<UniqueFd> open_folder(int at, const char* name) {
  UniqueFd folder(::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return fail_errno("opening a folder of the image store");
  return folder;
}

Result<UniqueFd> make_folder(int at, const char* name, mode_t mode) {
  if (::mkdirat(at, name, mode) != 0 && errno != EEXIST) {
    return fail_errno("making a folder of the image store");
  }
  return open_folder(at, name);
}

Result<std::vector<std::string>> list_folder(const UniqueFd& folder) {
  UniqueFd again(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::unique_ptr<DIR, int (*)(DIR*)> listing(again ? ::fdopendir(again.get()) : nullptr,
                                              &::closedir);
  if (!listing) return fail_errno("reading a folder of the image store");
  (void)again.release();  // closedir closes it
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(listing.get())) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

Result<void> remove_tree(int at, const std::string& name) {
  struct stat info{};
  if (::fstatat(at, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Result<void>() : fail_errno("looking for a file of an image");
  }
  if (S_ISDIR(info.st_mode)) return remove_below(at, name, 0);
  if (::unlinkat(at, name.c_str(), 0) != 0) return fail_errno("removing a file of an image");
  return {};
}

Result<std::string> read_text(int at, const char* name, std::size_t most) {
  UniqueFd file(::openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return fail_errno("reading the image store");
  std::string text;
  char buffer[16384];
  for (;;) {
    ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("reading the image store");
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most) return fail(Code::kTooLarge, "a file of the image store is too large");
  }
}

Result<UniqueFd> write_text(const UniqueFd& folder, const std::string& name,
                            std::string_view text) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  UniqueFd file(::openat(folder.get(), name.c_str(), kNew, 0600));
  if (!file || !write_all(file.get(), text)) return fail_errno("writing to the image store");
  return file;
}

Result<void> write_text_atomically(const UniqueFd& folder, const std::string& name,
                                   std::string_view text) {
  std::string draft = ".new-" + make_sortable_id();
  Result<UniqueFd> file = write_text(folder, draft, text);
  if (file && ::fsync(file->get()) == 0 &&
      ::renameat(folder.get(), draft.c_str(), folder.get(), name.c_str()) == 0 &&
      ::fsync(folder.get()) == 0) {
    return {};
  }
  int error = file ? errno : file.error().errno_value();
  ::unlinkat(folder.get(), draft.c_str(), 0);
  return fail_errno("writing to the image store", error);
}

}  // namespace atl::images
