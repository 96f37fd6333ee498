#include "images/unpack_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <span>
#include <vector>

#include "base/write_all.hpp"
#include "codec/json.hpp"
#include "images/unpack_fds.hpp"

namespace atl::images {
namespace {

// A result carries the configurations of all images; what is longer was not written by
// atoll-unpack.
constexpr std::size_t kMaxLine = 64ull << 20;

// The names of the layers that need not be unpacked, as a file that atoll-unpack reads.
Result<UniqueFd> known_file(const std::set<std::string>& layers) {
  UniqueFd file(::memfd_create("atoll-layers", MFD_CLOEXEC));
  if (!file) return fail_errno("memfd_create");
  std::string text;
  for (const std::string& layer : layers) text += layer + "\n";
  if (!write_all(file.get(), text) || ::lseek(file.get(), 0, SEEK_SET) != 0) {
    return fail_errno("writing the list of layers");
  }
  return file;
}

// The program with exactly these descriptors, from kArchiveFd on, and no environment: nothing in it
// is for the libraries that read archives.
Result<pid_t> spawn(const std::string& program, std::span<const char* const> argv,
                    std::span<const int> fds) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int fd = 0; fd < kArchiveFd; ++fd) {
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  // Aside first: one may stand on another's number.
  std::vector<UniqueFd> aside;
  for (std::size_t i = 0; i < fds.size(); ++i) {
    aside.emplace_back(::fcntl(fds[i], F_DUPFD_CLOEXEC, 64));
    int target = kArchiveFd + static_cast<int>(i);
    ::posix_spawn_file_actions_adddup2(&actions, aside.back().get(), target);
  }
  char* const nothing[] = {nullptr};
  pid_t pid = -1;
  int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr,
                            const_cast<char* const*>(argv.data()), nothing);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  return fail(
      Error(Code::kHostUnsupported, "cannot start atoll-unpack; it must lie beside atoll", error));
}

}  // namespace

Result<UnpackProcess> UnpackProcess::start(const ImportJob& job, const UniqueFd& staging,
                                           const std::set<std::string>& known_layers) {
  ATOLL_TRY(UniqueFd known, known_file(known_layers));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  UniqueFd report(ends[0]), theirs(ends[1]);
  std::string bytes = std::to_string(job.limits.bytes);
  std::string entries = std::to_string(job.limits.entries);
  // "--one" is last, so that leaving it out is ending the list earlier.
  const char* argv[] = {"atoll-unpack",  "--max-bytes",   bytes.c_str(),
                        "--max-entries", entries.c_str(), job.name.empty() ? nullptr : "--one",
                        nullptr};
  std::array<int, 4> fds{job.archive.get(), staging.get(), known.get(), theirs.get()};
  ATOLL_TRY(pid_t pid, spawn(job.unpack, argv, fds));
  ATOLL_TRY(Child child, Child::own(pid));
  return UnpackProcess(std::move(child), std::move(report));
}

void UnpackProcess::stop() {
  if (!child_) return;
  (void)child_.kill(SIGKILL);
  (void)child_.reap();
  // The process that writes is a child of that one and dies with it, a moment later: it has the
  // other end of the pipe until then.
  char rest[4096];
  while (::read(report_.get(), rest, sizeof rest) > 0 || errno == EINTR) {
    errno = 0;
  }
}

Result<std::string> UnpackProcess::next_line(int interrupt) {
  for (;;) {
    if (std::size_t end = pending_.find('\n'); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    std::array<pollfd, 2> waits{pollfd{report_.get(), POLLIN, 0}, pollfd{interrupt, POLLIN, 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return fail_errno("poll");
    if (waits[1].revents != 0) return fail(Code::kCancelled, "the import was interrupted");
    if (waits[0].revents == 0) continue;
    char buffer[16384];
    ssize_t got = ::read(report_.get(), buffer, sizeof buffer);
    if (got < 0) return fail_errno("reading from atoll-unpack");
    if (got == 0) return std::string();
    pending_.append(buffer, static_cast<std::size_t>(got));
    if (pending_.size() > kMaxLine) {
      return fail(Code::kTooLarge, "atoll-unpack says more about the archive than is allowed");
    }
  }
}

Error UnpackProcess::silent_end() {
  Result<ChildExit> end = child_.reap();
  int signal = end ? end->signal : 0;
  if (signal == SIGXCPU) return {Code::kTooLarge, "the archive took too long to unpack"};
  std::string how = signal != 0 ? "signal " + std::to_string(signal) : "no result";
  return {Code::kInternal, "atoll-unpack ended with " + how + "; the archive was not imported"};
}

Result<UnpackResult> UnpackProcess::wait(const ImportJob& job) {
  for (;;) {
    ATOLL_TRY(std::string text, next_line(job.interrupt));
    if (text.empty()) return fail(silent_end());
    codec::Decoded<UnpackLine> line = codec::decode<UnpackLine>(text, {}, {.max_bytes = kMaxLine});
    if (!line) return fail(Code::kProtocol, "atoll-unpack spoke out of turn");
    if (line->error) {
      return fail(Error(code_from_number(line->error->code), line->error->message,
                        line->error->errno_value));
    }
    if (line->progress && job.on_progress) job.on_progress(*line->progress);
    if (!line->result) continue;
    Result<ChildExit> end = child_.reap();
    if (!end || end->code != 0) return fail(Code::kInternal, "atoll-unpack failed in the end");
    return std::move(*line->result);
  }
}

}  // namespace atl::images
