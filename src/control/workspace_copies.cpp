#include "control/workspace_copies.hpp"

#include <utility>

#include "async/deadline.hpp"
#include "base/rollback.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;
using model::SessionState;

namespace {

constexpr std::chrono::seconds kSaving{30};

}  // namespace

Task<void> WorkspaceCopies::save(LiveSessionPtr session) {
  if (session->workspace.empty()) co_return;
  while (session->saving || session->freezing()) co_await session->changed.wait();
  SandboxPtr sandbox = session->sandbox;
  if (!sandbox || sandbox->status().state == sandbox::State::kPaused) {
    co_return;  // saved before it was frozen
  }
  session->saving = true;
  session->touched = false;
  Rollback done;
  done.add([session] {
    session->saving = false;
    session->changed.notify_all();
  });
  std::uint64_t disk =
      session->row.config.resources.disk.value_or(session->origin->spec.resources.disk);
  Result<void> saved = co_await async::with_deadline(
      shared_.workspaces.save(std::move(sandbox), session->workspace, disk << 20,
                              session->ending()),
      async::deadline_in(kSaving), Code::kTransferTimeout, "saving the workspace takes too long");
  if (!saved) {
    log::warn("workspace_not_saved", log::kv("session_id", session->row.id.str()),
              log::kv("error", saved.error().to_string()));
  }
  if (session->row.state == SessionState::kFailed) co_return;  // its row says why
  bool is_news = !saved && session->row.error_code.empty();
  session->row.error_code = saved ? std::string() : code_name(saved.error().code());
  session->row.error_message = saved ? std::string() : saved.error().message();
  if (is_news) sessions_.publish(*session, "workspace_not_saved");
}

}  // namespace atl::control
