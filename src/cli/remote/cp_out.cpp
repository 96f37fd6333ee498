#include <sys/stat.h>
#include <unistd.h>

#include "cli/core/output.hpp"
#include "cli/remote/cp.hpp"
#include "cli/remote/local_files.hpp"
#include "client/files.hpp"
#include "codec/tar_reader.hpp"

namespace atl::cli {
namespace {

using async::Task;
using codec::TarEntry;
using codec::TarReader;

constexpr std::size_t kPortion = 256 * 1024;
constexpr std::chrono::seconds kSilence{60};

// The bytes of a download, one portion after the other.
class Portions {
 public:
  Portions(client::Download& download, Progress& progress)
      : download_(download), progress_(progress), buffer_(kPortion, '\0') {}

  // Empty at the end. A download that was cut is an Error.
  Task<Result<std::string_view>> next() {
    Result<std::size_t> got =
        co_await download_.response.read_some(buffer_, async::deadline_in(kSilence));
    if (!got) {
      co_return fail(Code::kIo, "the download broke off: " + got.error().message());
    }
    done_ += *got;
    progress_.show(done_, download_.length.value_or(0));
    co_return std::string_view(buffer_).substr(0, *got);
  }

 private:
  client::Download& download_;
  Progress& progress_;
  std::string buffer_;
  std::uint64_t done_ = 0;
};

Task<Result<void>> to_stdout(Remote* remote, Portions* portions) {
  Output output(remote->executor, false, UINT64_MAX);
  for (;;) {
    ATOLL_CO_TRY(std::string_view bytes, co_await portions->next());
    if (bytes.empty()) co_return Result<void>();
    ATOLL_CO_CHECK(co_await output.take(
        {.stream = sandbox::OutputStream::kStdout, .bytes = std::string(bytes)}));
  }
}

Task<Result<void>> to_file(Portions* portions, std::string path, std::uint32_t mode) {
  ATOLL_CO_TRY(NewFile file, NewFile::create(path, mode));
  for (;;) {
    ATOLL_CO_TRY(std::string_view bytes, co_await portions->next());
    if (bytes.empty()) co_return file.commit();
    ATOLL_CO_CHECK(file.write(bytes));
  }
}

Result<void> take_entry(NewTree& tree, const TarEntry& entry) {
  std::string name = entry.name;
  while (name.ends_with('/')) name.pop_back();
  if (name.empty() || name == ".") return {};
  switch (entry.kind) {
    case TarEntry::Kind::kFile: return tree.begin_file(name, entry.mode);
    case TarEntry::Kind::kFolder: return tree.add_folder(name, entry.mode);
    case TarEntry::Kind::kLink: tree.add_link(std::move(name), entry.target); return {};
    case TarEntry::Kind::kOther: return {};
  }
  return {};
}

Result<void> unpack(NewTree& tree, TarReader& reader, std::string_view bytes) {
  for (;;) {
    ATOLL_TRY(TarReader::Event event, reader.next(bytes));
    bool is_file = reader.entry().kind == TarEntry::Kind::kFile;
    switch (event) {
      case TarReader::Event::kMore:
      case TarReader::Event::kEnd: return {};
      case TarReader::Event::kEntry: ATOLL_CHECK(take_entry(tree, reader.entry())); break;
      case TarReader::Event::kContent:
        if (is_file) ATOLL_CHECK(tree.write(reader.content()));
        break;
      case TarReader::Event::kDone: break;
    }
  }
}

Task<Result<void>> to_folder(Remote* remote, Portions* portions, Progress* progress,
                             std::string path) {
  ATOLL_CO_TRY(NewTree tree, NewTree::create(path));
  TarReader reader;
  for (;;) {
    ATOLL_CO_TRY(std::string_view bytes, co_await portions->next());
    if (bytes.empty()) break;
    ATOLL_CO_CHECK(unpack(tree, reader, bytes));
  }
  if (!reader.ended()) co_return fail(Code::kIo, "the download broke off");
  ATOLL_CO_CHECK(tree.commit());
  progress->clear();
  if (tree.left_out() > 0 && !remote->options.quiet) {
    print_warning(std::to_string(tree.left_out()) + " links that lead out were left out",
                  remote->options.color);
  }
  co_return Result<void>();
}

bool is_folder(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Task<Result<void>> copy_out(Remote* remote, SessionId session, std::string source,
                            std::string target) {
  std::string name = last_part(source);
  if (name.empty() || name == "." || name == "..") name = "workspace";
  ATOLL_CO_TRY(client::Download download,
               co_await client::get_file(&remote->api, std::move(session), source));
  Progress progress("getting " + name.substr(0, 30), !remote->options.quiet, remote->clock);
  Portions portions(download, progress);
  if (target == "-") co_return co_await to_stdout(remote, &portions);
  if (is_folder(target)) {
    target = joined(target, name);
  } else if (target.ends_with('/')) {
    co_return fail(Code::kNotFound, "there is no folder " + target);
  }
  if (is_folder(target) && !download.is_folder) {
    co_return fail(Code::kAlreadyExists, target + " is a folder");
  }
  if (!download.is_folder) co_return co_await to_file(&portions, std::move(target), download.mode);
  co_return co_await to_folder(remote, &portions, &progress, std::move(target));
}

}  // namespace atl::cli
