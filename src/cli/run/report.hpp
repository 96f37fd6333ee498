// How a run ended, and the JSON object that says so.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "sandbox/spec.hpp"

namespace atl::cli {

struct RunReport {
  int exit_code = 0;  // what atoll exits with
  sandbox::ExitStatus status;
  sandbox::Isolation isolation;
  std::string stdout_bytes;
  std::string stderr_bytes;
  bool truncated = false;
  std::optional<Error> error;
};

std::string report_json(const RunReport& report, bool pretty);

}  // namespace atl::cli
