// In `atoll`, which has no OpenSSL: runs with secrets are those of atoll-backends.
#include "cli/run/run_trust.hpp"

namespace atl::cli {

Result<void> add_trust(RunPlan&) {
  return fail(Code::kInternal, "a run with secrets was not handed to atoll-backends");
}

}  // namespace atl::cli
