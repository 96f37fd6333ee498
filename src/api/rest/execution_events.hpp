// An execution as server-sent events: init, stdout, stderr, result, error, complete. Pure; who
// reads and who writes is execution_stream's business.
//
// The id of an event says all that is needed to go on behind it, also when the execution has ended
// in the meantime and only its kept output is left: the number of the event, how many bytes of each
// stream were given, how many results and errors, and bytes of a character that is not complete.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/spool.hpp"
#include "http/sse.hpp"
#include "model/execution.hpp"

namespace atl::api::rest {

struct StreamPosition {
  std::uint64_t number = 0;
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
  std::uint64_t others = 0;  // results and errors
  std::string stdout_tail;
  std::string stderr_tail;

  bool operator==(const StreamPosition&) const = default;
};

std::string to_event_id(const StreamPosition& position);
std::optional<StreamPosition> from_event_id(std::string_view id);

class ExecutionEvents {
 public:
  explicit ExecutionEvents(StreamPosition position = {}) : at_(std::move(position)) {}

  http::SseEvent init(const model::Execution& execution) const;
  // One event of the spool; nothing when it holds no whole character yet.
  void take(const control::SpoolEvent& event, std::vector<http::SseEvent>& out);
  // What is left of the streams, the error when nobody gave it yet, and `complete`.
  void finish(const model::Execution& execution, std::vector<http::SseEvent>& out);
  // Instead of take(): the next portion of what an ended execution left, before finish().
  // False: there is no more. `more` gives bytes of a stream from an offset, kChunk or all that are
  // left.
  using More = std::function<Result<std::string>(bool is_stdout, std::uint64_t offset)>;
  Result<bool> replay(const model::Execution& execution, const More& more,
                      std::vector<http::SseEvent>& out);
  const StreamPosition& position() const { return at_; }

 private:
  void take_stream(bool is_stdout, std::string_view bytes, std::vector<http::SseEvent>& out);
  void put_text(bool is_stdout, std::string_view bytes, std::vector<http::SseEvent>& out);
  void put_other(std::string_view name, std::string data, std::vector<http::SseEvent>& out);

  StreamPosition at_;
  bool error_given_ = false;
};

}  // namespace atl::api::rest
