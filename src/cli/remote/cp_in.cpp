#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "async/stream.hpp"
#include "cli/remote/cp.hpp"
#include "client/files.hpp"

namespace atl::cli {
namespace {

using async::Task;

std::unexpected<Error> cannot_read(const std::string& path) {
  int error = errno;
  return fail(
      Error(code_from_errno(error), "cannot read " + path + ": " + std::strerror(error), error));
}

// How far all of it is.
struct Gauge {
  Progress progress;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: nobody knows

  void add(std::size_t bytes) {
    done += bytes;
    progress.show(done, total);
  }
};

struct OpenFile {
  UniqueFd fd;
  std::string path;
  std::uint64_t left;
  Gauge* gauge;
};

Task<Result<std::size_t>> read_file_part(std::shared_ptr<OpenFile> file, std::span<char> into) {
  std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(file->left, into.size()));
  if (most == 0) co_return 0;
  ssize_t got = 0;
  do {
    got = ::read(file->fd.get(), into.data(), most);
  } while (got < 0 && errno == EINTR);
  if (got < 0) co_return cannot_read(file->path);
  if (got == 0) co_return fail(Code::kConflict, file->path + " became shorter while it was sent");
  auto size = static_cast<std::size_t>(got);
  file->left -= size;
  file->gauge->add(size);
  co_return size;
}

Task<Result<std::size_t>> read_when_open(std::shared_ptr<OpenFile> file, std::span<char> into) {
  if (!file->fd) file->fd.reset(::open(file->path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file->fd) co_return cannot_read(file->path);
  co_return co_await read_file_part(file, into);
}

// Opened when the first byte is asked for: a request may hold more files than can be open.
http::BodySource later(Gauge* gauge, std::string path, std::uint64_t size) {
  auto file = std::make_shared<OpenFile>(UniqueFd(), std::move(path), size, gauge);
  return [file](std::span<char> into) { return read_when_open(file, into); };
}

Task<Result<std::size_t>> read_stream_part(async::Stream* stream, Gauge* gauge,
                                           std::span<char> into) {
  ATOLL_CO_TRY(std::size_t got, co_await stream->read_some(into));
  gauge->add(got);
  co_return got;
}

Task<Result<void>> send_file(Remote* remote, Gauge* gauge, SessionId session, std::string path,
                             std::string target) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) co_return cannot_read(path);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) co_return cannot_read(path);
  auto size = static_cast<std::uint64_t>(info.st_size);
  auto mode = static_cast<std::uint32_t>(info.st_mode & 0777);
  auto file = std::make_shared<OpenFile>(std::move(fd), path, size, gauge);
  auto source = [file](std::span<char> into) { return read_file_part(file, into); };
  co_return co_await client::put_file(&remote->api, std::move(session), std::move(target), mode,
                                      source, size);
}

Task<Result<void>> send_stdin(Remote* remote, Gauge* gauge, SessionId session, std::string target) {
  UniqueFd copy(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!copy) co_return cannot_read("stdin");
  async::Stream input(remote->executor, std::move(copy), async::FdKind::kShared);
  async::Stream* stream = &input;
  auto source = [stream, gauge](std::span<char> into) {
    return read_stream_part(stream, gauge, into);
  };
  co_return co_await client::put_file(&remote->api, std::move(session), std::move(target), 0644,
                                      source, std::nullopt);
}

void warn_of(const LocalTree& tree, const RemoteOptions& options) {
  if (options.quiet) return;
  if (tree.leaving_links > 0) {
    print_warning(std::to_string(tree.leaving_links) + " links that lead out were left out",
                  options.color);
  }
  if (tree.devices > 0) {
    print_warning(std::to_string(tree.devices) + " devices, pipes or sockets were left out",
                  options.color);
  }
  if (tree.empty_folders > 0) {
    print_warning(std::to_string(tree.empty_folders) + " empty folders were left out",
                  options.color);
  }
}

// Last: no file goes through one of them.
Task<Result<void>> send_links(Remote* remote, SessionId session, std::vector<LocalLink> links,
                              std::string target) {
  std::vector<bodies::LinkBody> batch;
  for (std::size_t i = 0; i < links.size(); ++i) {
    batch.push_back({std::move(links[i].name), std::move(links[i].target)});
    if (batch.size() < client::kMaxLinks && i + 1 < links.size()) continue;
    bodies::MakeLinksBody body{.path = target, .links = std::exchange(batch, {})};
    ATOLL_CO_CHECK(co_await client::put_links(&remote->api, session, std::move(body)));
  }
  co_return Result<void>();
}

Task<Result<void>> send_tree(Remote* remote, Gauge* gauge, SessionId session, std::string folder,
                             std::string target) {
  ATOLL_CO_TRY(LocalTree tree, list_tree(folder));
  gauge->total = tree.bytes;
  for (const std::vector<LocalFile>& batch : in_batches(std::move(tree.files))) {
    if (batch.size() == 1) {
      ATOLL_CO_CHECK(co_await send_file(remote, gauge, session, joined(folder, batch[0].name),
                                        joined(target, batch[0].name)));
      continue;
    }
    std::vector<client::SentFile> files;
    for (const LocalFile& file : batch) {
      files.push_back({file.name, file.size, later(gauge, joined(folder, file.name), file.size)});
    }
    ATOLL_CO_CHECK(
        co_await client::put_files(&remote->api, session, target, batch[0].mode, std::move(files)));
  }
  ATOLL_CO_CHECK(co_await send_links(remote, session, std::move(tree.links), target));
  gauge->progress.clear();
  warn_of(tree, remote->options);
  co_return Result<void>();
}

// The name for what has none, such as "..".
std::string own_name(const std::string& path) {
  std::string name = last_part(path);
  if (name != ".." && !name.empty()) return name;
  char whole[PATH_MAX];
  return ::realpath(path.c_str(), whole) != nullptr ? last_part(whole) : "";
}

}  // namespace

Task<Result<void>> copy_in(Remote* remote, std::string source, SessionId session,
                           std::string target) {
  bool stream = source == "-";
  bool content = source == "." || source.ends_with("/.");  // of the folder, not the folder
  struct stat info{};
  if (!stream && ::stat(source.c_str(), &info) != 0) co_return cannot_read(source);
  bool tree = !stream && S_ISDIR(info.st_mode);
  if (!stream && !tree && !S_ISREG(info.st_mode)) {
    co_return fail(Code::kInvalidArgument, source + " is neither a file nor a folder");
  }
  bool into = target.empty() || target.ends_with('/');
  if (!into) {
    ATOLL_CO_TRY(client::FileKind kind, co_await client::kind_of(&remote->api, session, target));
    into = kind == client::FileKind::kFolder;
  }
  if (into && stream)
    co_return fail(Code::kInvalidArgument, "cp: name the file to write: SESSION:PATH");
  if (into && !content) target = joined(target, own_name(source));
  Gauge gauge{.progress = Progress("sending " + (stream ? "stdin" : own_name(source)).substr(0, 30),
                                   !remote->options.quiet, remote->clock),
              .total = tree || stream ? 0 : static_cast<std::uint64_t>(info.st_size)};
  if (stream) co_return co_await send_stdin(remote, &gauge, std::move(session), std::move(target));
  if (tree) {
    co_return co_await send_tree(remote, &gauge, std::move(session), source, std::move(target));
  }
  co_return co_await send_file(remote, &gauge, std::move(session), source, std::move(target));
}

}  // namespace atl::cli
