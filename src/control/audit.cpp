#include "control/audit.hpp"

#include <algorithm>
#include <utility>

#include "async/deadline.hpp"
#include "base/ids.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;

namespace {

constexpr std::chrono::milliseconds kTogether{50};  // what comes within shares a transaction
constexpr std::chrono::seconds kAgain{1};
constexpr std::size_t kPortion = 200;
constexpr std::size_t kMostWaiting = 20'000;

void shorten(std::string& text) {
  if (text.size() <= kMaxAuditDetail) return;
  std::size_t end = kMaxAuditDetail;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
}

bool of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/' || c == '+' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

store::AuditRow audit_row(const Caller& caller, Deed deed) {
  store::AuditRow row{.tenant = caller.tenant,
                      .id = make_sortable_id(),
                      .key_id = caller.key_id,
                      .action = deed.action,
                      .outcome = std::move(deed.outcome),
                      .session_id = std::move(deed.session_id),
                      .execution_id = std::move(deed.execution_id),
                      .trace_id = caller.trace_id,
                      .request_id = caller.request_id,
                      .detail = std::move(deed.detail),
                      .result = std::move(deed.result)};
  row.time = model::Time(std::chrono::milliseconds(id_milliseconds(row.id)));
  shorten(row.detail);
  return row;
}

std::string program_of(std::string_view command) {
  std::size_t begin = std::min(command.find_first_not_of(" \t\n"), command.size());
  command.remove_prefix(begin);
  auto end = std::ranges::find_if_not(command, of_a_name);
  std::string name(command.begin(), end);
  if (name.empty()) return "sh";  // quotes, brackets: something for a shell
  // The value of a variable is nobody's business, and often a secret.
  if (end != command.end() && *end == '=') name += '=';
  return name;
}

std::string audit_detail(const ExecuteRequest& request) {
  if (request.code) return request.language;
  return program_of(request.argv.empty() ? request.shell_command : request.argv[0]);
}

void Audit::soon(store::AuditRow row) {
  if (waiting_.size() >= kMostWaiting) {
    ++lost_;
    return;
  }
  waiting_.push_back(std::move(row));
  if (!std::exchange(writing_, true)) tasks_.spawn(write_waiting());
}

Task<void> Audit::write_waiting() {
  while (!waiting_.empty()) {
    co_await async::sleep_for(kTogether);
    Result<void> written = co_await write_portion();
    if (!written) co_await async::sleep_for(kAgain);
  }
  writing_ = false;
}

// They wait until they are written: a writer that is stopped in the middle leaves them to
// shut_down(), and a row that was written before is not written twice.
Task<Result<void>> Audit::write_portion() {
  std::size_t count = std::min(waiting_.size(), kPortion);
  std::vector<store::Change> changes;
  for (std::size_t i = 0; i < count; ++i) changes.push_back(store::AddAudit{waiting_[i]});
  ATOLL_CO_CHECK(co_await store_.write(std::move(changes)));
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  if (std::uint64_t lost = std::exchange(lost_, 0); lost > 0) {
    log::error("audit_lost", log::kv("rows", lost));
  }
  co_return Result<void>();
}

Task<Result<std::vector<store::AuditRow>>> Audit::list(Caller caller, store::AuditFilter filter,
                                                       store::Page page) {
  filter.tenant = caller.tenant;
  return store_.audit(std::move(filter), std::move(page));
}

Task<void> Audit::shut_down() {
  co_await tasks_.join();
  while (!waiting_.empty()) {
    Result<void> written = co_await write_portion();
    if (written) continue;
    log::error("audit_lost", log::kv("rows", waiting_.size()),
               log::kv("error", written.error().to_string()));
    co_return;
  }
}

}  // namespace atl::control
