// An execution as the events that execd streams: one JSON object each and an empty line, without
// `data:`. init first, then output, then either execution_complete or error. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "control/journal.hpp"
#include "model/execution.hpp"

namespace atl::api::opensandbox {

class EventText {
 public:
  // Commands are given line by line, without its end; code as it comes.
  enum class Form { kLines, kPieces };
  static constexpr std::size_t kLongestLine = 1u << 20;  // a longer one is given in parts

  explicit EventText(Form form) : form_(form) {}

  // `now`: milliseconds since 1970, as their clients want it in every event.
  static std::string init(std::string_view id, std::int64_t now);
  static std::string ping(std::int64_t now);
  static std::string complete(std::uint64_t duration_ms, std::int64_t now);
  void take(const control::SpoolEvent& event, std::int64_t now, std::string& out);
  // What is left of the streams, and how it ended.
  void finish(const model::Execution& execution, std::int64_t now, std::string& out);

 private:
  void take_stream(bool is_stdout, std::string_view bytes, std::int64_t now, std::string& out);
  void put_error(const model::Execution& execution, std::int64_t now, std::string& out);

  Form form_;
  std::string stdout_rest_;
  std::string stderr_rest_;
  bool error_given_ = false;
};

}  // namespace atl::api::opensandbox
