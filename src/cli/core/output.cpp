#include "cli/core/output.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "base/write_all.hpp"

namespace atl::cli {

async::Task<Result<void>> Output::take(sandbox::OutputChunk chunk) {
  if (chunk.stream == sandbox::OutputStream::kEnd || abandoned_) co_return Result<void>{};
  Side& side = chunk.stream == sandbox::OutputStream::kStdout ? out_ : err_;
  std::uint64_t room = most_ - side.seen;
  if (chunk.bytes.size() > room) {
    chunk.bytes.resize(static_cast<std::size_t>(room));
    side.truncated = true;
  }
  side.seen += chunk.bytes.size();
  if (chunk.bytes.empty()) co_return Result<void>{};
  if (keep_) {
    side.kept += chunk.bytes;
    co_return Result<void>{};
  }
  co_return co_await pass_on(&side, std::move(chunk.bytes));
}

async::Task<Result<void>> Output::pass_on(Side* side, std::string bytes) {
  if (!side->stream) {
    UniqueFd copy(::fcntl(side->number, F_DUPFD_CLOEXEC, 3));
    if (!copy) co_return Result<void>{};  // started with the stream closed: nobody wants it
    side->stream.emplace(executor_, std::move(copy), async::FdKind::kShared);
  }
  waiting_ = true;
  Result<void> written = co_await side->stream->write_all(bytes);
  waiting_ = false;
  ++chunks_written_;
  if (written || abandoned_) co_return Result<void>{};
  int error = written.error().errno_value();
  reader_gone_ = error == EPIPE;
  std::string name = side->number == 1 ? "stdout" : "stderr";
  std::string why = error != 0 ? std::strerror(error) : written.error().message();
  co_return fail(Error(written.error().code(), "cannot write to " + name + ": " + why, error));
}

void Output::abandon() {
  abandoned_ = true;
  if (out_.stream) out_.stream->cancel();
  if (err_.stream) err_.stream->cancel();
}

}  // namespace atl::cli
