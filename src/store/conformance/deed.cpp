#include "store/conformance/deed.hpp"

namespace atl::store {
namespace {

std::string output_of(const std::string& id, std::size_t size) {
  std::string text;
  while (text.size() < size) text += id;
  return text;
}

}  // namespace

std::vector<Change> make_deed(const SessionId& id, std::uint64_t number) {
  model::Session session;
  session.id = id;
  session.tenant = "deeds";
  session.labels = {{"number", std::to_string(number)}};
  model::Execution execution;
  execution.id = ExecutionId(id.str());
  execution.session_id = id;
  execution.output.stdout_bytes = output_of(id.str(), number % 4 == 0 ? 100'000 : 100);
  execution.duration_ms = execution.output.stdout_bytes.size();
  std::vector<Change> changes;
  changes.emplace_back(PutSession{session});
  changes.emplace_back(PutExecution{std::move(execution), true});
  changes.emplace_back(
      AddIdempotency{{.tenant = "deeds", .key = id.str(), .made = {.id = id.str()}}});
  return changes;
}

async::Task<std::string> missing_of_deed(Store* store, SessionId id) {
  Result<model::Session> session = co_await store->session(id);
  if (!session) co_return "session " + session.error().to_string();
  Result<model::Execution> execution = co_await store->execution(ExecutionId(id.str()), true);
  if (!execution) co_return "execution " + execution.error().to_string();
  if (execution->output.stdout_bytes != output_of(id.str(), execution->duration_ms)) {
    co_return "output of " + id.str();
  }
  Result<IdempotencyRow> answer = co_await store->idempotency("deeds", id.str());
  if (!answer) co_return "answer " + answer.error().to_string();
  co_return "";
}

}  // namespace atl::store
