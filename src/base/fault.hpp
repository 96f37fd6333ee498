// Points at which the tests of the crash rule end the server as `kill -9` would: one at every step
// that a crash can split. ATOLL_FAULT=NAME arms one, for tests only; a point that is not armed
// costs a comparison. A name that is not in the list does not compile; tests/e2e/test_crash.py
// reaches every name of the list.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace atl::fault {

inline constexpr std::array<std::string_view, 52> kNames = {
    // A sandbox, whoever it is for.
    "sandbox.token", "sandbox.made",
    // The warm pool.
    "pool.making", "pool.made", "pool.parked",
    // A session.
    "create.begun", "create.written", "create.making", "create.made", "create.restored",
    "create.ready", "change.written",
    // Its pause.
    "pause.frozen", "pause.written", "resume.thawed", "resume.written",
    // Its end.
    "delete.begun", "delete.stopped", "delete.written", "delete.done",
    // An execution.
    "execute.begun", "execute.written", "execute.running", "execute.spawned", "execute.output",
    "execute.ended", "execute.stored", "execute.done", "execute.kept",
    // A large output, on its way to a file.
    "store.output_file",
    // A context.
    "context.opened", "context.written", "context.closed", "context.removed",
    // A file.
    "upload.begun", "upload.data", "upload.finished",
    // A template.
    "template.begun", "template.written",
    // A snapshot.
    "snapshot.taken", "snapshot.file", "snapshot.written", "snapshot.removed",
    // One call for everything.
    "run.created", "run.executed",
    // The answer to a repeated request, where it is not written with the work itself.
    "idempotency.begun", "idempotency.written",
    // What every request ends with.
    "answer.ready", "answer.sent",
    // The next start.
    "reconcile.executions", "reconcile.found", "reconcile.unknown"};

class Point {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): here("create.begun") is how it reads.
  consteval Point(const char* name)
      : number_(std::ranges::find(kNames, std::string_view(name)) - kNames.begin()) {
    if (number_ == static_cast<std::ptrdiff_t>(kNames.size())) throw "no such fault point";
  }
  std::ptrdiff_t number() const { return number_; }

 private:
  std::ptrdiff_t number_;
};

inline std::ptrdiff_t armed = -1;  // set before there are threads

// False: there is no such point.
bool arm(std::string_view name);
[[noreturn]] void die();

inline void here(Point point) {
  if (point.number() == armed) [[unlikely]] {
    die();
  }
}

}  // namespace atl::fault
