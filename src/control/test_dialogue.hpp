// What a judge says, and what it is answered: lines of JSON between two programs in two sandboxes,
// none of which is trusted to keep to the protocol. On the I/O thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "async/task.hpp"
#include "base/result.hpp"
#include "control/test_runs.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::control {

// The lines that a program prints.
class ProgramLines {
 public:
  static constexpr std::size_t kLongest = 8u << 20;

  explicit ProgramLines(std::unique_ptr<sandbox::Process> process) : process_(std::move(process)) {}

  sandbox::Process& process() { return *process_; }
  // nullopt at the end of its output. kTooLarge for a line that does not end.
  async::Task<Result<std::optional<std::string>>> next();
  const std::string& errors() const { return errors_; }  // the end of its stderr

 private:
  std::unique_ptr<sandbox::Process> process_;
  std::string rest_;
  std::size_t looked_ = 0;
  bool ended_ = false;
  std::string errors_;
};

// Carries what the judge asks to the solution, and the answers back, until the judge has ended.
// Tests without a verdict by then have one in `report` all the same.
async::Task<Result<void>> hold_dialogue(ProgramLines* judge, ProgramLines* solution,
                                        TestReport* report);

}  // namespace atl::control
