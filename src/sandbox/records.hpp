// Records: length-prefixed messages on stream 1 of a channel, as listings and watches send them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "guest/messages.hpp"
#include "sandbox/guest_client.hpp"

namespace atl::sandbox {

// Cuts a stream of bytes into records.
class RecordSplitter {
 public:
  void add(std::string_view bytes);
  // nullopt: more bytes are needed. Views stay valid until the next add().
  Result<std::optional<std::string_view>> next();
  bool empty() const { return begin_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t begin_ = 0;
};

// The next record of a channel; nullopt at the end. The view lives until the next call.
async::Task<Result<std::optional<std::string_view>>> next_record(GuestChannel* channel,
                                                                 RecordSplitter* splitter);

inline std::unexpected<Error> bad_record() {
  return fail(Code::kProtocol, "the guest sent a record that makes no sense");
}

// All records of an operation, or the first of them. A guest can send without end, so the sum is
// bounded (kTooLarge).
template <typename T>
async::Task<Result<std::vector<T>>> all_records(GuestChannel channel, std::size_t most = SIZE_MAX) {
  constexpr std::size_t kMaxBytes = 32u << 20;
  ATOLL_CO_TRY([[maybe_unused]] std::string nothing, co_await channel.reply());
  RecordSplitter splitter;
  std::vector<T> list;
  std::size_t bytes = 0;
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string_view> record, co_await next_record(&channel, &splitter));
    if (!record || list.size() >= most) co_return list;
    bytes += record->size() + sizeof(T);
    if (bytes > kMaxBytes) co_return fail(Code::kTooLarge, "the listing is too long");
    std::optional<T> value = guest::decoded<T>(*record);
    if (!value) co_return bad_record();
    list.push_back(std::move(*value));
  }
}

}  // namespace atl::sandbox
