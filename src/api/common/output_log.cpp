#include "api/common/output_log.hpp"

#include <utility>

#include "api/common/text.hpp"

namespace atl::api {

using async::Task;

Task<Result<LogPiece>> read_log(async::Pool* pool, const model::Execution* row,
                                std::uint64_t cursor, std::size_t most) {
  LogPiece piece{.bytes = {}, .next = cursor};
  const model::Output& output = row->output;
  if (output.large) {
    auto read = [&output, cursor, most] {
      return output.large->read(model::LargeOutput::Part::kMerged, cursor, most);
    };
    ATOLL_CO_TRY(piece.bytes, co_await async::on_pool(*pool, read));
  } else if (cursor < output.merged.size()) {
    piece.bytes = output.merged.substr(cursor, most);
  }
  // The rest of a character comes with the next piece.
  bool at_end = model::is_final(row->state) && piece.bytes.size() < most;
  if (!at_end && piece.bytes.size() > 3) {
    piece.bytes.resize(piece.bytes.size() - incomplete_tail(piece.bytes));
  }
  piece.next += piece.bytes.size();
  co_return piece;
}

}  // namespace atl::api
