// `atoll approve`: what waits for a person, and the decision.
#include <unistd.h>

#include <algorithm>

#include "cli/core/small_commands.hpp"
#include "cli/core/terminal.hpp"
#include "cli/remote/approval_text.hpp"
#include "cli/remote/remote.hpp"

namespace atl::cli {
namespace {

using async::Task;
using bodies::ApprovalBody;

bool at_terminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

// An id, or a beginning of one that waits.
Task<Result<std::string>> find_approval(Remote* remote, std::string typed) {
  ATOLL_CO_TRY(bodies::ApprovalListBody waiting,
               co_await remote->api.list_approvals("waiting", 200));
  std::string found;
  for (const ApprovalBody& one : waiting.approvals) {
    if (one.id == typed) co_return typed;
    if (!one.id.starts_with(typed)) continue;
    if (!found.empty()) {
      co_return fail(Code::kInvalidArgument, "several approvals begin with " + typed);
    }
    found = one.id;
  }
  co_return found.empty() ? typed : found;
}

Task<Result<ApprovalBody>> decide(Remote* remote, std::string id, bool yes) {
  const RemoteOptions& options = remote->options;
  bodies::DecideApprovalBody body{.decision = yes ? "approve" : "reject"};
  if (!options.reason.empty()) body.reason = options.reason;
  if (options.timeout && yes) {
    auto seconds = std::chrono::ceil<std::chrono::seconds>(*options.timeout);
    body.remember_seconds = static_cast<std::uint64_t>(seconds.count());
  }
  co_return co_await remote->api.decide_approval(std::move(id), std::move(body));
}

// One key, without Enter. 'q' when the terminal is gone.
char read_key() {
  Result<RawTerminal> raw = RawTerminal::enter();
  char key = 0;
  ssize_t got = ::read(STDIN_FILENO, &key, 1);
  return got == 1 ? key : 'q';
}

// False: the person has had enough.
Task<Result<bool>> ask(Remote* remote, std::string id) {
  ATOLL_CO_TRY(ApprovalBody one, co_await remote->api.get_approval(id));
  if (one.state != model::ApprovalState::kWaiting) co_return true;
  bool color = use_color(remote->options.color, STDOUT_FILENO);
  show("\n" + approval_text(one, remote->clock.wall(), color) +
       "\n[y] approve   [n] reject   [s] skip   [q] quit ");
  for (;;) {
    char key = read_key();
    if (key == 'q' || key == 3 || key == 4) {  // Ctrl-C and Ctrl-D, too
      show("\n");
      co_return false;
    }
    if (key == 's') break;
    if (key != 'y' && key != 'n') continue;
    Result<ApprovalBody> done = co_await decide(remote, id, key == 'y');
    show(done ? (key == 'y' ? "approved\n" : "rejected\n") : done.error().message() + "\n");
    co_return true;
  }
  show("skipped\n");
  co_return true;
}

RemoteTask ask_for_all(Remote* remote) {
  ATOLL_CO_TRY(bodies::ApprovalListBody waiting,
               co_await remote->api.list_approvals("waiting", 200));
  if (waiting.approvals.empty()) co_return show("nothing waits for approval\n");
  std::ranges::reverse(waiting.approvals);  // the oldest has the least time
  for (const ApprovalBody& one : waiting.approvals) {
    ATOLL_CO_TRY(bool go_on, co_await ask(remote, one.id));
    if (!go_on) break;
  }
  co_return 0;
}

RemoteTask list(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (options.words.size() > 1) {
    co_return fail(Code::kInvalidArgument, "approve ls: takes options and no words");
  }
  std::string state = options.states.empty() ? "waiting" : options.states[0];
  ATOLL_CO_TRY(bodies::ApprovalListBody body, co_await remote->api.list_approvals(state, 200));
  if (wants_document(*remote)) co_return show_document(*remote, body);
  co_return show(
      approval_table(body, remote->clock.wall(), use_color(options.color, STDOUT_FILENO)));
}

RemoteTask show_one(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (options.words.size() != 2) co_return fail(Code::kInvalidArgument, "approve show: name one");
  ATOLL_CO_TRY(std::string id, co_await find_approval(remote, options.words[1]));
  ATOLL_CO_TRY(ApprovalBody one, co_await remote->api.get_approval(std::move(id)));
  if (wants_document(*remote)) co_return show_document(*remote, one);
  co_return show(approval_text(one, remote->clock.wall(), use_color(options.color, STDOUT_FILENO)));
}

}  // namespace

RemoteTask manage_approvals(Remote* remote) {
  const RemoteOptions& options = remote->options;
  const std::vector<std::string>& words = options.words;
  if (words.empty() && at_terminal() && !options.reject) co_return co_await ask_for_all(remote);
  if (words.empty() && options.reject) {
    co_return fail(Code::kInvalidArgument, "approve --reject: name what is to be rejected");
  }
  if (words.empty() || words[0] == "ls") co_return co_await list(remote);
  if (words[0] == "show") co_return co_await show_one(remote);
  for (const std::string& word : words) {
    ATOLL_CO_TRY(std::string id, co_await find_approval(remote, word));
    ATOLL_CO_TRY(ApprovalBody done, co_await decide(remote, std::move(id), !options.reject));
    if (wants_document(*remote)) {
      show_document(*remote, done);
    } else {
      show(done.id + " " + codec::enum_name(done.state) + "\n");
    }
  }
  co_return 0;
}

}  // namespace atl::cli
