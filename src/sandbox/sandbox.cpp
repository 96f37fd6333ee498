#include "sandbox/sandbox.hpp"

#include <algorithm>
#include <utility>

namespace atl::sandbox {

using async::Task;

namespace {

// What fits under the cap; the rest is read and thrown away, so that the program can end.
std::string_view keep(std::string_view bytes, const std::string& so_far, std::uint64_t cap,
                      bool& truncated) {
  std::uint64_t room = cap - std::min<std::uint64_t>(cap, so_far.size());
  if (bytes.size() > room) truncated = true;
  return bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size())));
}

}  // namespace

Task<Result<ExecResult>> Sandbox::exec(ExecRequest request) {
  if (request.control) {
    co_return fail(Code::kInvalidArgument, "a control stream needs somebody who reads it: spawn()");
  }
  std::uint64_t cap = request.max_output_bytes;
  ATOLL_CO_TRY(std::unique_ptr<Process> process, co_await spawn(std::move(request)));
  ExecResult result;
  bool truncated = false;
  for (;;) {
    ATOLL_CO_TRY(OutputChunk chunk, co_await process->read());
    if (chunk.stream == OutputStream::kEnd) break;
    std::string& into =
        chunk.stream == OutputStream::kStdout ? result.stdout_bytes : result.stderr_bytes;
    std::string_view kept = keep(chunk.bytes, into, cap, truncated);
    into.append(kept);
    result.output.append(kept);
  }
  ATOLL_CO_TRY(result.status, co_await process->wait());
  result.status.truncated |= truncated;
  co_return result;
}

Task<Result<void>> Sandbox::put_text(std::string path, std::string content, std::uint32_t mode) {
  ATOLL_CO_TRY(std::unique_ptr<ByteStream> file, co_await put_file(std::move(path), mode));
  ATOLL_CO_CHECK(co_await file->write(std::move(content)));
  co_return co_await file->finish();
}

Task<Result<void>> Sandbox::change_limits(Limits) {
  co_return fail(Code::kUnsupported, "this backend cannot change the limits of a sandbox");
}

Task<Result<EgressSockets>> Sandbox::open_egress() {
  co_return fail(Code::kUnsupported, "this backend hands out no sockets of its sandboxes");
}

Task<Result<std::unique_ptr<ByteStream>>> Sandbox::get_file(std::string path) {
  return get_file(std::move(path), 0, UINT64_MAX);
}

Task<Result<std::vector<FileInfo>>> Sandbox::list(std::string path, std::uint32_t depth) {
  return list(std::move(path), depth, SIZE_MAX);
}

Task<Result<std::string>> Sandbox::get_text(std::string path) {
  constexpr std::size_t kMax = 64u << 20;
  ATOLL_CO_TRY(std::unique_ptr<ByteStream> file, co_await get_file(std::move(path)));
  std::string content;
  for (;;) {
    ATOLL_CO_TRY(std::string bytes, co_await file->read());
    if (bytes.empty()) co_return content;
    if (content.size() + bytes.size() > kMax) {
      co_return fail(Code::kTooLarge, "the file is larger than 64 MiB");
    }
    if (content.empty())
      content = std::move(bytes);
    else
      content += bytes;
  }
}

}  // namespace atl::sandbox
