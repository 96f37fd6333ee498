// atoll-unpack: takes an image archive apart, so that the code that reads such archives need not be
// in `atoll` and cannot do anything but write into one folder. Started by `atoll image import`.
#include <linux/close_range.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "base/write_all.hpp"
#include "codec/json.hpp"
#include "codec/sha256.hpp"
#include "images/reference.hpp"
#include "images/unpack.hpp"
#include "images/unpack_fds.hpp"
#include "jail.hpp"

namespace {

using namespace atl;
using namespace atl::images;

constexpr std::chrono::milliseconds kBetweenReports{100};

int usage() {
  constexpr std::string_view kText =
      "usage: atoll-unpack [--one] [--max-bytes N] [--max-entries N]\n"
      "\n"
      "Unpacks an image archive for `atoll image import`, which starts it with four descriptors:\n"
      "the archive (3), the folder to write into (4), the layers that are there already, one\n"
      "digest a line (5), and where to report (6). See docs/images.md.\n";
  (void)!::write(2, kText.data(), kText.size());
  return 2;
}

void report(const UnpackLine& line) {
  std::string text = codec::encode(line) + "\n";
  if (!write_all(kReportFd, text)) ::_exit(1);  // nobody listens any more
}

int report_error(const Error& error) {
  report({.error = UnpackError{.code = static_cast<std::uint16_t>(error.code()),
                               .message = error.message(),
                               .errno_value = error.errno_value()}});
  return 1;
}

std::set<std::string> read_known() {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(kKnownFd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  std::set<std::string> known;
  for (std::string_view rest = text; rest.size() > 64; rest.remove_prefix(65)) {
    if (is_sha256_hex(rest.substr(0, 64))) known.emplace(rest.substr(0, 64));
  }
  return known;
}

bool is_open(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0;
}

// Few and far between: a report costs more than the bytes it is about.
std::function<void(const UnpackProgress&)> progress_reporter() {
  return [last = std::chrono::steady_clock::time_point()](const UnpackProgress& progress) mutable {
    auto now = std::chrono::steady_clock::now();
    if (now - last < kBetweenReports) return;
    last = now;
    report({.progress = progress});
  };
}

int run(UnpackJob job) {
  ::umask(022);
  // Libraries must read from disk now what they need later.
  (void)codec::sha256_hex("");
  if (Result<void> jailed = unpacker::enter_jail(kStagingFd, job.limits.bytes); !jailed) {
    return report_error(jailed.error());
  }
  job.on_progress = progress_reporter();
  Result<UnpackResult> result = unpack(std::move(job));
  if (!result) return report_error(result.error());
  report({.result = std::move(*result)});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  UnpackJob job;
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--one") {
      job.one = true;
    } else if (name == "--max-bytes" && i + 1 < argc) {
      job.limits.bytes = std::strtoull(argv[++i], nullptr, 10);
    } else if (name == "--max-entries" && i + 1 < argc) {
      job.limits.entries = std::strtoull(argv[++i], nullptr, 10);
    } else {
      return usage();
    }
  }
  for (int fd : {kArchiveFd, kStagingFd, kKnownFd, kReportFd}) {
    if (!is_open(fd)) return usage();
  }
  ::syscall(SYS_close_range, kReportFd + 1, ~0u, 0);
  job.archive.reset(kArchiveFd);
  job.staging.reset(kStagingFd);
  job.known_layers = read_known();
  job.keep_owners = ::geteuid() == 0;
  try {
    return run(std::move(job));
  } catch (const std::bad_alloc&) {
    return report_error(Error(Code::kTooLarge, "the archive needs more memory than is allowed"));
  } catch (const std::exception& error) {
    return report_error(Error(Code::kInternal, error.what()));
  }
}
