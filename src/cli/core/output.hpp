// Where a program's output goes: on to our own stdout and stderr byte for byte, or kept for a
// report. Used on the I/O thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "async/stream.hpp"
#include "async/task.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::cli {

class Output {
 public:
  // keep: collect instead of writing. `most`: of each stream; the rest is dropped.
  Output(async::Executor executor, bool keep, std::uint64_t most)
      : executor_(std::move(executor)), keep_(keep), most_(most) {}

  async::Task<Result<void>> take(sandbox::OutputChunk chunk);

  // A write that has not come to an end yet, and how many have: whoever looks twice sees a reader
  // that does not read.
  bool waiting() const { return waiting_; }
  std::uint64_t chunks_written() const { return chunks_written_; }
  // Drops what is being written and everything after it.
  void abandon();

  // Nobody reads us any more, as in `atoll run … | head -1`: take() failed for that reason.
  bool reader_gone() const { return reader_gone_; }
  bool truncated() const { return out_.truncated || err_.truncated; }
  const std::string& kept_stdout() const { return out_.kept; }
  const std::string& kept_stderr() const { return err_.kept; }

 private:
  struct Side {
    int number;  // 1 or 2
    std::uint64_t seen = 0;
    bool truncated = false;
    std::string kept{};
    std::optional<async::Stream> stream{};  // made when the first byte comes
  };

  async::Task<Result<void>> pass_on(Side* side, std::string bytes);

  async::Executor executor_;
  bool keep_;
  std::uint64_t most_;
  bool reader_gone_ = false;
  bool waiting_ = false;
  bool abandoned_ = false;
  std::uint64_t chunks_written_ = 0;
  Side out_{.number = 1};
  Side err_{.number = 2};
};

}  // namespace atl::cli
