// Passes the events of an execution on: its output to stdout and stderr, results as text.
#pragma once

#include "cli/core/console.hpp"
#include "cli/core/output.hpp"
#include "client/execution_stream.hpp"

namespace atl::cli {

class EventPrinter {
 public:
  // silent: only remembers the end.
  EventPrinter(async::Executor executor, bool silent)
      : output_(std::move(executor), false, UINT64_MAX), silent_(silent) {}

  async::Task<Result<void>> take(client::ExecutionEvent event);
  // The same for what an execution has written so far, from its body.
  async::Task<Result<void>> take_body(bodies::ExecutionBody execution);

  // The execution as it ended.
  const std::optional<bodies::ExecutionBody>& ended() const { return ended_; }
  // A traceback was shown: why it failed has been said.
  bool told() const { return told_; }
  bool reader_gone() const { return output_.reader_gone(); }

 private:
  async::Task<Result<void>> write(sandbox::OutputStream to, std::string bytes);
  async::Task<Result<void>> show_result(bodies::ResultEventBody shown);
  async::Task<Result<void>> show_traceback(std::optional<std::string> traceback);

  Output output_;
  bool silent_;
  bool told_ = false;
  std::optional<bodies::ExecutionBody> ended_;
};

// What `atoll exec` exits with. Says why it failed, unless `quiet`.
Result<int> outcome_of(const bodies::ExecutionBody& execution, bool quiet, ColorMode color);

}  // namespace atl::cli
