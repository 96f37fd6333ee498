#include "api/mcp/output.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace atl::api::mcp {

namespace {

using Part = model::LargeOutput::Part;

// Where the last whole character ends; anything that is no UTF-8 counts as whole.
std::size_t whole_characters(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    auto lead = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((lead & 0xc0) == 0x80) continue;
    std::size_t needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.size() - back : bytes.size();
  }
  return bytes.size();
}

OutputPart part_of(std::string bytes, std::uint64_t from, std::uint64_t size) {
  std::uint64_t end = from + bytes.size();
  if (end < size) bytes.resize(std::max<std::size_t>(whole_characters(bytes), 1));
  OutputPart part{.text = to_utf8(bytes), .next = from + bytes.size()};
  part.more = part.next < size;
  return part;
}

Task<Result<OutputPart>> read_part(McpPtr mcp, const model::Output* output, Part which,
                                   std::uint64_t from) {
  if (output->large) {
    auto large = output->large;
    std::uint64_t size = large->size(which);
    if (from >= size) co_return OutputPart{.text = {}, .next = size};
    ATOLL_CO_TRY(std::string bytes, co_await async::on_pool(mcp->pool, [large, which, from] {
                   return large->read(which, from, kShownOutput);
                 }));
    co_return part_of(std::move(bytes), from, size);
  }
  const std::string& all = which == Part::kStdout ? output->stdout_bytes : output->stderr_bytes;
  if (from >= all.size()) co_return OutputPart{.text = {}, .next = all.size()};
  co_return part_of(all.substr(static_cast<std::size_t>(from), kShownOutput), from, all.size());
}

}  // namespace

Task<Result<OutputParts>> output_parts(McpPtr mcp, const model::Execution* row,
                                       std::uint64_t out_from, std::uint64_t err_from) {
  OutputParts parts;
  ATOLL_CO_TRY(parts.out, co_await read_part(mcp, &row->output, Part::kStdout, out_from));
  ATOLL_CO_TRY(parts.err, co_await read_part(mcp, &row->output, Part::kStderr, err_from));
  co_return parts;
}

}  // namespace atl::api::mcp
