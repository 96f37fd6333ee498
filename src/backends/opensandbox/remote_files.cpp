// Files of a remote sandbox. Content and listings go by the agent's file API; the rest by the
// standard tools, whose errors say more than that API's.
#include <cstdio>
#include <limits>
#include <sstream>
#include <utility>

#include "backends/opensandbox/file_streams.hpp"
#include "backends/opensandbox/remote_sandbox.hpp"
#include "backends/opensandbox/script.hpp"
#include "base/file_time.hpp"

namespace atl::backends::opensandbox {

using async::Task;
using sandbox::ByteStream;
using sandbox::FileInfo;

namespace {

constexpr std::string_view kStat = R"(
stat -c '%f %s %Y %u %g' -- "$1" || exit 1
if [ -L "$1" ]; then readlink -- "$1" | od -An -v -tx1; fi
)";
constexpr std::string_view kWhyUnreadable = R"(
if [ -d "$1" ]; then echo 'Is a directory' >&2; exit 1; fi
cat -- "$1" > /dev/null
)";
constexpr std::string_view kMakeDir = R"(
if [ "$3" = parents ]; then mkdir -p -m "$2" -- "$1"; else mkdir -m "$2" -- "$1"; fi
)";
constexpr std::string_view kMove = R"(
if [ "$3" != over ] && { [ -e "$2" ] || [ -L "$2" ]; }; then echo 'File exists' >&2; exit 1; fi
mv -fT -- "$1" "$2"
)";
constexpr std::string_view kRemove = R"(
if [ "$2" = all ]; then stat -- "$1" > /dev/null && rm -rf -- "$1"
elif [ -d "$1" ] && ! [ -L "$1" ]; then rmdir -- "$1"
else rm -f -- /dev/null/no 2>/dev/null; stat -- "$1" > /dev/null && rm -f -- "$1"; fi
)";
constexpr std::string_view kGrep = R"(
find "$1" -type f -name "$2" -exec grep -lF -e "$3" -- {} + 2>/dev/null
exit 0
)";

std::string mode_text(std::uint32_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", mode & 07777);
  return text;
}

std::uint8_t kind_of(unsigned long mode) {
  switch (mode & 0170000) {
    case 0100000: return FileInfo::kFile;
    case 0040000: return FileInfo::kDirectory;
    case 0120000: return FileInfo::kSymlink;
    default: return FileInfo::kOther;
  }
}

// Without the end of the line that readlink adds.
std::string from_hex(std::istream& words) {
  std::string bytes;
  for (std::string word; words >> word;) {
    bytes += static_cast<char>(std::strtoul(word.c_str(), nullptr, 16));
  }
  if (bytes.ends_with('\n')) bytes.pop_back();
  return bytes;
}

// `root` itself is not among its entries, whose paths become relative to it.
void make_relative(std::vector<FileInfo>& entries, std::string root) {
  if (!root.ends_with('/')) root += '/';
  std::erase_if(entries, [&](const FileInfo& one) { return !one.path.starts_with(root); });
  for (FileInfo& one : entries) one.path.erase(0, root.size());
}

}  // namespace

Task<Result<std::unique_ptr<ByteStream>>> RemoteSandbox::put_file(std::string path,
                                                                  std::uint32_t mode) {
  ATOLL_CO_TRY(std::string place, absolute(path));
  ATOLL_CO_TRY(std::shared_ptr<Execd> execd, agent());
  co_return make_upload(tasks_, std::move(execd), std::move(place), mode);
}

Task<Result<std::unique_ptr<ByteStream>>> RemoteSandbox::get_file(std::string path,
                                                                  std::uint64_t offset,
                                                                  std::uint64_t length) {
  ATOLL_CO_TRY(std::string place, absolute(path));
  ATOLL_CO_TRY(std::shared_ptr<Execd> execd, agent());
  Result<http::ClientResponse> response = co_await execd->download(place, offset, length);
  if (response) co_return make_download(std::move(*response));
  // The agent's answer says little; reading it once more inside says why.
  ATOLL_CO_CHECK(co_await tool(with_words(kWhyUnreadable, {place})));
  co_return fail(response.error());
}

Task<Result<FileInfo>> RemoteSandbox::stat(std::string path) {
  ATOLL_CO_TRY(std::string place, absolute(path));
  ATOLL_CO_TRY(std::string text, co_await tool(with_words(kStat, {place})));
  std::istringstream words(text);
  unsigned long mode = 0;
  FileInfo info;
  std::int64_t seconds = 0;
  words >> std::hex >> mode >> std::dec >> info.size >> seconds >> info.uid >> info.gid;
  if (!words) co_return fail(Code::kBackend, "the sandbox's stat speaks another language");
  info.kind = kind_of(mode);
  info.mode = static_cast<std::uint32_t>(mode & 07777);
  info.mtime_ns = file_time_ns(seconds);
  info.target = from_hex(words);
  info.path = std::move(path);
  co_return info;
}

Task<Result<std::vector<FileInfo>>> RemoteSandbox::list(std::string path, std::uint32_t depth,
                                                        std::size_t most) {
  ATOLL_CO_TRY(std::string place, absolute(path));
  ATOLL_CO_TRY(std::shared_ptr<Execd> execd, agent());
  std::uint32_t levels = std::min<std::uint32_t>(depth, std::numeric_limits<std::int32_t>::max());
  Result<std::vector<FileInfo>> entries = co_await execd->list(place, levels);
  if (!entries) {
    bool not_found = entries.error().code() == Code::kNotFound;
    if (not_found) co_return fail(entries.error());
    co_return fail(Code::kInvalidArgument, entries.error().message());
  }
  make_relative(*entries, place);
  if (entries->size() > most) entries->resize(most);
  co_return entries;
}

Task<Result<void>> RemoteSandbox::make_dir(std::string path, std::uint32_t mode, bool parents) {
  ATOLL_CO_TRY(std::string place, absolute(path));
  ATOLL_CO_CHECK(
      co_await tool(with_words(kMakeDir, {place, mode_text(mode), parents ? "parents" : "alone"})));
  co_return Result<void>();
}

Task<Result<void>> RemoteSandbox::move(std::string from, std::string to, bool overwrite) {
  ATOLL_CO_TRY(std::string old_place, absolute(from));
  ATOLL_CO_TRY(std::string new_place, absolute(to));
  ATOLL_CO_CHECK(
      co_await tool(with_words(kMove, {old_place, new_place, overwrite ? "over" : "beside"})));
  co_return Result<void>();
}

Task<Result<void>> RemoteSandbox::remove(std::string path, bool recursive) {
  ATOLL_CO_TRY(std::string place, absolute(path));
  ATOLL_CO_CHECK(co_await tool(with_words(kRemove, {place, recursive ? "all" : "one"})));
  co_return Result<void>();
}

Task<Result<void>> RemoteSandbox::chmod(std::string path, std::uint32_t mode) {
  ATOLL_CO_TRY(std::string place, absolute(path));
  ATOLL_CO_CHECK(co_await tool(with_words("chmod -- \"$2\" \"$1\"", {place, mode_text(mode)})));
  co_return Result<void>();
}

Task<Result<std::vector<FileInfo>>> RemoteSandbox::search(guest::SearchArgs args) {
  ATOLL_CO_TRY(std::string root, absolute(args.root));
  ATOLL_CO_TRY(std::shared_ptr<Execd> execd, agent());
  std::string glob = args.name_glob.empty() ? "*" : args.name_glob;
  ATOLL_CO_TRY(std::vector<FileInfo> found, co_await execd->search(root, glob));
  if (!args.contains.empty()) {
    ATOLL_CO_TRY(std::string names, co_await tool(with_words(kGrep, {root, glob, args.contains})));
    names.insert(0, "\n");
    std::erase_if(found, [&](const FileInfo& one) {
      return names.find("\n" + one.path + "\n") == std::string::npos;
    });
  }
  make_relative(found, root);
  if (found.size() > args.max_results) found.resize(args.max_results);
  co_return found;
}

Task<Result<std::unique_ptr<sandbox::Watch>>> RemoteSandbox::watch(std::string, bool) {
  co_return fail(Code::kUnsupported, "OpenSandbox cannot watch files");
}

Task<Result<std::unique_ptr<ByteStream>>> RemoteSandbox::connect(std::uint16_t) {
  co_return fail(Code::kUnsupported, "OpenSandbox reaches ports by HTTP only");
}

}  // namespace atl::backends::opensandbox
