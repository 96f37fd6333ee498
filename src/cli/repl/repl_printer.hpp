// What `atoll repl` shows of a cell: as text, or as one JSON object a line.
#pragma once

#include <cstdint>
#include <string>

#include "async/task.hpp"
#include "base/result.hpp"
#include "cli/core/output.hpp"
#include "cli/repl/repl_options.hpp"
#include "cli/repl/saved_files.hpp"
#include "contexts/run.hpp"

namespace atl::cli {

class ReplPrinter {
 public:
  // `files` is nullptr when nothing is to be saved. All of them outlive the printer.
  ReplPrinter(const ReplOptions& options, Output* output, SavedFiles* files)
      : options_(options), output_(output), files_(files) {}

  void begin_cell(std::uint32_t number);
  async::Task<Result<void>> event(const contexts::RunEvent* event);
  async::Task<Result<void>> end_cell(const contexts::RunResult* result);
  // Atoll's own failure, in the JSON stream; as text it is told elsewhere.
  async::Task<Result<void>> failure(const Error* error);
  // The cursor is not at the start of a line: for whoever prompts.
  bool in_line() const { return in_line_; }

 private:
  async::Task<Result<void>> write(sandbox::OutputStream stream, std::string text);
  async::Task<Result<void>> text_event(const contexts::RunEvent* event);
  async::Task<Result<void>> json_event(const contexts::RunEvent* event);
  async::Task<Result<void>> save(const contexts::Bundle* bundle);

  const ReplOptions& options_;
  Output* output_;
  SavedFiles* files_;
  std::uint32_t cell_ = 0;
  std::uint32_t shown_ = 0;  // in this cell
  bool in_line_ = false;
};

}  // namespace atl::cli
