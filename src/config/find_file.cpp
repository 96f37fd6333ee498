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

// Nothing when the file is not there.
Result<std::optional<FileText>> read_if_there(const std::string& path, bool explicitly) {
  // Only a named file may be a pipe: it was given as one.
  int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (explicitly ? 0 : O_NONBLOCK);
  UniqueFd file(::open(path.c_str(), flags));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return std::optional<FileText>();
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0) return unreadable(path, errno);
  bool readable = S_ISREG(info.st_mode) || (explicitly && !S_ISDIR(info.st_mode));
  if (!readable) return fail(Code::kInvalidArgument, path + " is not a file");
  ATOLL_TRY(std::string text, read_all(file, path));
  return std::optional(FileText{.name = path, .text = std::move(text)});
}

}  // namespace

Result<std::optional<FileText>> find_file(const Places& places) {
  if (!places.file.empty()) {
    ATOLL_TRY(std::optional<FileText> file, read_if_there(places.file, true));
    if (!file) return fail(Code::kNotFound, "there is no file " + places.file);
    return file;
  }
  std::vector<std::string> paths;
  if (!places.data.empty()) paths.push_back(places.data + "/config.json");
  if (!places.home.empty()) paths.push_back(places.home + "/.atoll/config.json");
  if (!places.system.empty()) paths.push_back(places.system);
  for (const std::string& path : paths) {
    ATOLL_TRY(std::optional<FileText> file, read_if_there(path, false));
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
