#include "sandbox/records.hpp"

#include <cstdint>
#include <cstring>

namespace atl::sandbox {

void RecordSplitter::add(std::string_view bytes) {
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_.append(bytes);
}

Result<std::optional<std::string_view>> RecordSplitter::next() {
  std::string_view rest(buffer_);
  rest.remove_prefix(begin_);
  std::uint32_t size = 0;
  if (rest.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, rest.data(), sizeof(size));
  if (size > guest::kMaxPayload) return bad_record();
  if (rest.size() - sizeof(size) < size) return std::nullopt;
  begin_ += sizeof(size) + size;
  return rest.substr(sizeof(size), size);
}

async::Task<Result<std::optional<std::string_view>>> next_record(GuestChannel* channel,
                                                                 RecordSplitter* splitter) {
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string_view> record, splitter->next());
    if (record) co_return record;
    ATOLL_CO_TRY(Chunk chunk, co_await channel->read());
    if (chunk.stream == 0) {
      if (!splitter->empty()) co_return bad_record();
      co_return std::nullopt;
    }
    splitter->add(chunk.bytes);
  }
}

}  // namespace atl::sandbox
