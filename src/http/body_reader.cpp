#include "http/body_reader.hpp"

#include <algorithm>
#include <optional>

namespace atl::http {

namespace {

std::unexpected<Error> fail_cut() {
  return fail(Code::kIo, "the connection was cut before the end of the body");
}

}  // namespace

void BodyReader::begin() {
  framing_ = parser_->framing();
  left_ = parser_->length();
  done_ = framing_ == Framing::kNone || (framing_ == Framing::kLength && left_ == 0);
  failed_ = false;
}

Task<Result<std::size_t>> BodyReader::read_some(std::span<char> into) {
  if (done_ || into.empty()) co_return 0;
  if (failed_) co_return fail_cut();
  Result<std::size_t> got = 0;
  if (framing_ == Framing::kChunked) {
    got = co_await read_chunked(into);
  } else {
    got = co_await read_plain(into);
  }
  failed_ = !got;
  co_return got;
}

Task<Result<std::size_t>> BodyReader::read_plain(std::span<char> into) {
  bool counted = framing_ == Framing::kLength;
  if (counted) into = into.first(std::min<std::uint64_t>(into.size(), left_));
  std::size_t size = 0;
  if (!inbox_->empty()) {
    size = inbox_->view().copy(into.data(), into.size());
    inbox_->consume(size);
  } else {
    ATOLL_CO_TRY(size, co_await wire_->read_some(into));
    if (size == 0 && counted) co_return fail_cut();
  }
  if (counted) left_ -= size;
  done_ = counted ? left_ == 0 : size == 0;
  co_return size;
}

Task<Result<std::size_t>> BodyReader::read_chunked(std::span<char> into) {
  bool fresh = !inbox_->empty();
  for (;;) {
    if (fresh) {
      ATOLL_CO_TRY(MessageParser::Step step, parser_->read_chunks(inbox_->view(), into));
      inbox_->consume(step.used);
      done_ = step.done;
      if (step.made > 0 || done_) co_return step.made;
    }
    std::span<char> room = inbox_->room(Inbox::kMost);
    if (room.empty())
      co_return fail(Code::kTooLarge, "a chunk's head or the trailers are too large");
    ATOLL_CO_TRY(std::size_t got, co_await wire_->read_some(room));
    if (got == 0) co_return fail_cut();
    inbox_->add(got);
    fresh = true;
  }
}

Task<Result<std::string>> BodyReader::read_all(std::size_t limit) {
  constexpr std::size_t kStep = 64 * 1024;
  std::string body;
  if (framing_ == Framing::kLength && left_ > limit) {
    co_return fail(Code::kTooLarge, "the body is larger than " + std::to_string(limit) + " bytes");
  }
  while (!done_) {
    // Memory follows what has arrived, not what was announced.
    std::size_t had = body.size();
    std::size_t step = std::max(kStep, had);
    if (framing_ == Framing::kLength) step = std::min<std::uint64_t>(step, left_);
    body.resize(had + step);
    ATOLL_CO_TRY(std::size_t got, co_await read_some(std::span(body).subspan(had)));
    body.resize(had + got);
    if (body.size() > limit) {
      co_return fail(Code::kTooLarge,
                     "the body is larger than " + std::to_string(limit) + " bytes");
    }
  }
  co_return body;
}

}  // namespace atl::http
