// atoll-unpack seen from `atoll`: a child that is told what to do by its descriptors and answers on
// a pipe. Gone when this object is.
#pragma once

#include <set>
#include <string>

#include "base/child.hpp"
#include "images/import.hpp"

namespace atl::images {

class UnpackProcess {
 public:
  static Result<UnpackProcess> start(const ImportJob& job, const UniqueFd& staging,
                                     const std::set<std::string>& known_layers);
  ~UnpackProcess() { stop(); }
  UnpackProcess(UnpackProcess&&) = default;
  UnpackProcess& operator=(UnpackProcess&&) = delete;

  // Follows it to its end.
  Result<UnpackResult> wait(const ImportJob& job);

 private:
  UnpackProcess(Child child, UniqueFd report)
      : child_(std::move(child)), report_(std::move(report)) {}
  // The next line it says, without its end; empty when it has no more to say.
  Result<std::string> next_line(int interrupt);
  // Why it ended without a word.
  Error silent_end();
  void stop();

  Child child_;
  UniqueFd report_;
  std::string pending_;
};

}  // namespace atl::images
