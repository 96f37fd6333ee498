// multipart/form-data as a stream: feed bytes, take events. Strict: no preamble, no folded or
// unknown-encoded parts, every size bounded.
//
//   ATOLL_TRY(std::string boundary, multipart_boundary(request.headers.get("content-type")));
//   MultipartParser parser(boundary);
//   parser.feed(bytes);  then  parser.next()  until it says kNeedMore, then feed() again
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/message.hpp"

namespace atl::http {

// From the value of Content-Type; kUnsupported when it is not multipart/form-data.
Result<std::string> multipart_boundary(std::string_view content_type);

struct MultipartLimits {
  std::size_t header_bytes = 8 * 1024;  // of one part
  std::size_t headers = 16;             // of one part
  std::size_t parts = 1000;
};

struct MultipartEvent {
  enum class Kind {
    kNeedMore,
    kPartBegin,  // name, filename, headers
    kData,       // data, never empty
    kPartEnd,
    kEnd,  // the closing boundary was there: nothing is missing
  };
  Kind kind = Kind::kNeedMore;
  std::string name;
  std::optional<std::string> filename;
  Headers headers;
  std::string_view data;  // until the next call of feed() or next()
};

class MultipartParser {
 public:
  explicit MultipartParser(std::string_view boundary, MultipartLimits limits = {});

  void feed(std::string_view bytes);
  // kInvalidArgument or kTooLarge; the parser says the same from then on.
  Result<MultipartEvent> next();
  // When the body ended: an Error unless kEnd was reached.
  Result<void> finish() const;

 private:
  enum class State { kStart, kHeaders, kBody, kAfterBoundary, kEpilogue, kBroken };
  Result<MultipartEvent> step();
  Result<MultipartEvent> at_start();
  Result<MultipartEvent> after_boundary();
  Result<MultipartEvent> in_headers();
  Result<MultipartEvent> in_body();
  Result<MultipartEvent> in_epilogue();
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }

  std::string delimiter_;  // CRLF, two hyphens, the boundary
  MultipartLimits limits_;
  State state_ = State::kStart;
  bool end_reported_ = false;
  bool body_begun_ = false;
  std::size_t parts_ = 0;
  std::string buffer_;
  std::size_t at_ = 0;
};

}  // namespace atl::http
