#include "config/find_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.hpp"
#include "config/document.hpp"
#include "config/nearest.hpp"

namespace atl::config {
namespace {

std::unexpected<Error> unreadable(const std::string& path, int error) {
  return fail(
      Error(code_from_errno(error), "cannot read " + path + ": " + std::strerror(error), error));
}

Result<std::string> read_all(const UniqueFd& file, const std::string& path) {
  std::string text(kMaxDocument + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);  // one byte too many is enough for the reader to refuse it
  return text;
}

enum class Kind {
  kNamed,  // may be a pipe: it was given as one
  kUsual,
  kServers,  // in a folder that belongs to the server's user, who may be less than this process
};

// The configuration is obeyed before root is given up, and whoever has taken over a server can
// write there: root reads what only root has written. A second name is one that anybody may give.
bool is_ours(const struct stat& info) {
  return ::geteuid() != 0 ||
         (info.st_uid == 0 && info.st_nlink == 1 && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

// Nothing when the file is not there.
Result<std::optional<FileText>> read_if_there(const std::string& path, Kind kind) {
  bool explicitly = kind == Kind::kNamed;
  bool follow = kind != Kind::kServers || ::geteuid() != 0;
  int flags =
      O_RDONLY | O_CLOEXEC | O_NOCTTY | (explicitly ? 0 : O_NONBLOCK) | (follow ? 0 : O_NOFOLLOW);
  UniqueFd file(::open(path.c_str(), flags));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return std::optional<FileText>();
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0) return unreadable(path, errno);
  bool readable = S_ISREG(info.st_mode) || (explicitly && !S_ISDIR(info.st_mode));
  if (!readable) return fail(Code::kInvalidArgument, path + " is not a file");
  if (kind == Kind::kServers && !is_ours(info)) {
    return fail(Code::kForbidden,
                path +
                    " must be root's alone, because root starts the server: chown it to root and "
                    "chmod it to 644, or name a file with --config");
  }
  ATOLL_TRY(std::string text, read_all(file, path));
  return std::optional(FileText{.name = path, .text = std::move(text)});
}

}  // namespace

Result<std::optional<FileText>> find_file(const Places& places) {
  if (!places.file.empty()) {
    ATOLL_TRY(std::optional<FileText> file, read_if_there(places.file, Kind::kNamed));
    if (!file) return fail(Code::kNotFound, "there is no file " + places.file);
    return file;
  }
  std::vector<std::pair<std::string, Kind>> paths;
  if (!places.data.empty()) paths.emplace_back(places.data + "/config.json", Kind::kServers);
  if (!places.home.empty()) paths.emplace_back(places.home + "/.atoll/config.json", Kind::kUsual);
  if (!places.system.empty()) paths.emplace_back(places.system, Kind::kUsual);
  for (const auto& [path, kind] : paths) {
    ATOLL_TRY(std::optional<FileText> file, read_if_there(path, kind));
    if (file) return file;
  }
  return std::optional<FileText>();
}

std::string early_data_folder(const Sources& sources, const std::string& fallback) {
  std::string folder;
  for (const Variable& variable : sources.environment) {
    if (variable.name == "ATOLL_DATA") folder = variable.value;
  }
  for (const Override& override : sources.overrides) {
    if (folded(override.path) == "data") folder = override.value;
  }
  return folder.empty() ? fallback : folder;
}

std::string expand_home(const std::string& path, const std::string& home) {
  if (home.empty() || (path != "~" && !path.starts_with("~/"))) return path;
  return home + path.substr(1);
}

}  // namespace atl::config
