// Asking a person, through the client, before something runs. Legacy clients are asked while they
// wait (elicitation/create on the stream of their request); modern ones get a result that says
// input_required, and repeat the request with the answer and with what they were given here.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "async/task.hpp"
#include "base/ids.hpp"
#include "control/requests.hpp"

namespace atl::api::mcp {

// The questions that modern clients have been given and not answered yet. An answer counts once,
// for a while, and only for the same caller and the same request.
class Approvals {
 public:
  static constexpr std::size_t kMost = 1000;
  static constexpr std::chrono::seconds kPatience{300};
  using Time = std::chrono::steady_clock::time_point;

  // The state that the client sends back.
  std::string open(std::string principal, std::string fingerprint, Time now);
  bool close(std::string_view state, std::string_view principal, std::string_view fingerprint,
             Time now);

 private:
  struct Open {
    std::string principal;
    std::string fingerprint;
    Time until;
  };
  std::map<std::string, Open, std::less<>> open_;
};

enum class Verdict {
  kApproved,
  kRejected,   // or nobody answered in time
  kCannotAsk,  // the client has no way to ask
  kAsked,      // Call::asked is the answer to the request
};

struct Call;
// kApproved also where nobody has to be asked here: policies that ask do it where it runs.
async::Task<Verdict> approve(std::shared_ptr<Call> call, SessionId session,
                             const control::ExecuteRequest* run);

}  // namespace atl::api::mcp
