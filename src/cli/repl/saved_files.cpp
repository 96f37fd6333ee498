#include "cli/repl/saved_files.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/write_all.hpp"

namespace atl::cli {
namespace {

constexpr std::array kKinds{
    FileKind{"image/png", ".png", true},
    FileKind{"image/jpeg", ".jpg", true},
    FileKind{"image/svg+xml", ".svg"},
    FileKind{"text/html", ".html"},
    FileKind{"application/pdf", ".pdf", true},
    FileKind{"application/vnd.atoll.chart+json", ".chart.json"},
};

struct Header {
  std::uint32_t cell;
  std::uint32_t number;
  std::uint32_t kind;
  std::uint32_t size;
};

std::string name_of(std::uint32_t cell, std::uint32_t number, std::uint32_t kind) {
  return "cell-" + std::to_string(cell) + "-" + std::to_string(number) +
         std::string(kKinds[kind].suffix);
}

bool read_exactly(int fd, void* into, std::size_t size) {
  auto* at = static_cast<char*>(into);
  while (size > 0) {
    ssize_t got = ::read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

// The content from the socket into a file. 0, or what was wrong. The folder may be one that the
// sandbox writes to: whatever has the name already is replaced, never opened.
int take_file(int socket, int folder, const Header& header) {
  std::string name = name_of(header.cell, header.number, header.kind);
  std::string part = "." + name + ".part";
  ::unlinkat(folder, part.c_str(), 0);
  UniqueFd file(::openat(folder, part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  int error = file ? 0 : errno;
  std::array<char, 64 * 1024> buffer;
  for (std::size_t left = header.size; left > 0;) {
    std::size_t step = std::min(left, buffer.size());
    if (!read_exactly(socket, buffer.data(), step)) ::_exit(1);
    if (error == 0 && !write_all(file.get(), {buffer.data(), step})) error = errno;
    left -= step;
  }
  if (error == 0 && ::renameat(folder, part.c_str(), folder, name.c_str()) != 0) error = errno;
  if (error != 0) ::unlinkat(folder, part.c_str(), 0);
  return error;
}

// The process: ends with its caller.
[[noreturn]] void serve(int socket, int folder) {
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(number, SIG_IGN);
  // Nothing of atoll's stays open here: a launcher ends when nobody holds its connection.
  int kept_socket = ::fcntl(socket, F_DUPFD, 5);
  int kept_folder = ::fcntl(folder, F_DUPFD, 5);
  ::dup2(kept_socket, 3);
  ::dup2(kept_folder, 4);
  ::close_range(5, ~0u, 0);
  Header header{};
  while (read_exactly(3, &header, sizeof(header)) && header.kind < kKinds.size()) {
    int error = take_file(3, 4, header);
    if (!write_all(3, {reinterpret_cast<const char*>(&error), sizeof(error)})) break;
  }
  ::_exit(0);
}

}  // namespace

std::span<const FileKind> file_kinds() { return kKinds; }

Result<SavedFiles> SavedFiles::open(const std::string& path) {
  auto failed = [&path](const char* what) {
    int error = errno;
    return fail(Error(code_from_errno(error), "--save " + path + ": " + what, error));
  };
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return failed("cannot make the folder");
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return failed("cannot open the folder");
  if (::faccessat(folder.get(), ".", W_OK, AT_EACCESS) != 0) return failed("cannot write there");
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return fail_errno("socketpair");
  }
  UniqueFd mine(pair[0]);
  UniqueFd theirs(pair[1]);
  pid_t pid = ::fork();
  if (pid < 0) return fail_errno("fork");
  if (pid == 0) serve(theirs.get(), folder.get());
  ATOLL_TRY(Child writer, Child::own(pid));
  return SavedFiles(std::move(mine), std::move(writer));
}

void SavedFiles::attach(async::Executor executor) {
  stream_ = std::make_unique<async::Stream>(std::move(executor), std::move(socket_),
                                            async::FdKind::kSocket);
}

async::Task<Result<std::string>> SavedFiles::save(std::uint32_t cell, std::uint32_t number,
                                                  std::uint32_t kind, std::string bytes) {
  Header header{.cell = cell,
                .number = number,
                .kind = kind,
                .size = static_cast<std::uint32_t>(bytes.size())};
  std::string message(reinterpret_cast<const char*>(&header), sizeof(header));
  ATOLL_CO_CHECK(co_await stream_->write_all(message));
  ATOLL_CO_CHECK(co_await stream_->write_all(bytes));
  std::array<char, sizeof(int)> answer{};
  for (std::size_t have = 0; have < answer.size();) {
    ATOLL_CO_TRY(std::size_t got, co_await stream_->read_some(std::span(answer).subspan(have)));
    if (got == 0) co_return fail(Code::kIo, "the process that saves files is gone");
    have += got;
  }
  int error = 0;
  std::copy(answer.begin(), answer.end(), reinterpret_cast<char*>(&error));
  std::string name = name_of(cell, number, kind);
  if (error != 0) {
    co_return fail(Error(code_from_errno(error), "cannot write " + name, error));
  }
  co_return name;
}

}  // namespace atl::cli
