#include "api/mcp/approvals.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/trace.hpp"
#include "api/mcp/call.hpp"
#include "async/deadline.hpp"
#include "codec/json.hpp"
#include "codec/sha256.hpp"

namespace atl::api::mcp {

namespace {

namespace json = boost::json;

using std::chrono::steady_clock;

constexpr std::string_view kInput = "approval";
constexpr std::chrono::milliseconds kStep{500};  // of a wait that its client may give up

object question_of(const std::string& text) {
  object approve{{"type", "boolean"},
                 {"title", "Run it?"},
                 {"description", "Yes lets it run once."},
                 {"default", true}};
  return {
      {"mode", "form"},
      {"message", text},
      {"requestedSchema", {{"type", "object"}, {"properties", {{"approve", std::move(approve)}}}}}};
}

// accept, unless the form says no.
bool is_yes(const json::value* answer) {
  const object* members = answer != nullptr ? answer->if_object() : nullptr;
  const json::value* action = members != nullptr ? members->if_contains("action") : nullptr;
  if (action == nullptr || *action != json::value("accept")) return false;
  const json::value* content = members->if_contains("content");
  const object* form = content != nullptr ? content->if_object() : nullptr;
  const json::value* approve = form != nullptr ? form->if_contains("approve") : nullptr;
  return approve == nullptr || *approve == json::value(true);
}

std::string principal_of(const Call& call) {
  return call.caller.tenant + '\n' + call.caller.key_id + '\n' + call.sandbox.name;
}

// The same tool with the same arguments.
std::string fingerprint_of(const Call& call) {
  const json::value* name = call.message.params.if_contains("name");
  const json::value* arguments = call.message.params.if_contains("arguments");
  json::array parts{name != nullptr ? *name : json::value(),
                    arguments != nullptr ? *arguments : json::value()};
  return codec::sha256_hex(codec::serialize(parts));
}

// What a modern client is told that did not say it can ask anybody.
Fault missing_capability() {
  object needed{{"elicitation", object{{"form", object()}}}};
  return {.code = kMissingCapability,
          .message = "This needs the approval of a person: the client must support elicitation",
          .data = object{{"requiredCapabilities", std::move(needed)}},
          .status = 400};
}

Verdict ask_modern(const CallPtr& call, const std::string& text) {
  const object& params = call->message.params;
  const json::value* state = params.if_contains("requestState");
  const json::value* inputs = params.if_contains("inputResponses");
  const object* members = inputs != nullptr ? inputs->if_object() : nullptr;
  const json::value* answer = members != nullptr ? members->if_contains(kInput) : nullptr;
  auto now = std::chrono::steady_clock::now();
  std::string principal = principal_of(*call);
  std::string fingerprint = fingerprint_of(*call);
  if (answer != nullptr && state != nullptr && state->is_string()) {
    std::string_view given(state->get_string().data(), state->get_string().size());
    if (call->mcp->approvals.close(given, principal, fingerprint, now)) {
      return is_yes(answer) ? Verdict::kApproved : Verdict::kRejected;
    }
  }
  if (!call->client.can_elicit) {
    call->fault = missing_capability();
    return Verdict::kCannotAsk;
  }
  object ask{{"method", "elicitation/create"}, {"params", question_of(text)}};
  call->asked = object{{"resultType", "input_required"},
                       {"inputRequests", {{kInput, std::move(ask)}}},
                       {"requestState", call->mcp->approvals.open(std::move(principal),
                                                                  std::move(fingerprint), now)}};
  return Verdict::kAsked;
}

Task<Result<bool>> until_changed(std::shared_ptr<Question> question) {
  co_await question->changed.wait();
  co_return true;
}

// Takes the question off the session's list again, however it ends.
class Asked {
 public:
  Asked(McpSessionPtr session, std::string id)
      : question(std::make_shared<Question>()), session_(std::move(session)), id_(std::move(id)) {
    session_->questions[id_] = question;
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  ~Asked() { session_->questions.erase(id_); }

  const std::shared_ptr<Question> question;

 private:
  McpSessionPtr session_;
  std::string id_;
};

Task<Verdict> ask_legacy(CallPtr call, std::string text) {
  if (!call->session || !call->client.can_elicit || !call->may_stream) {
    co_return Verdict::kCannotAsk;
  }
  std::string id = "atoll-" + std::to_string(call->session->next_question++);
  Asked asked(call->session, id_text(json::value(id)));
  call->send(request(id, "elicitation/create", question_of(text)));
  async::Deadline deadline = async::deadline_in(Approvals::kPatience);
  while (!asked.question->answer && !call->over() && steady_clock::now() < deadline) {
    async::Deadline step = std::min(deadline, async::deadline_in(kStep));
    (void)co_await async::with_deadline(until_changed(asked.question), step, Code::kTransferTimeout,
                                        "nobody answered yet");
  }
  const std::optional<Message>& answer = asked.question->answer;
  if (!answer || answer->failed) co_return Verdict::kRejected;
  co_return is_yes(&answer->result) ? Verdict::kApproved : Verdict::kRejected;
}

}  // namespace

std::string Approvals::open(std::string principal, std::string fingerprint, Time now) {
  std::erase_if(open_, [now](const auto& one) { return one.second.until < now; });
  if (open_.size() >= kMost) {
    open_.erase(
        std::ranges::min_element(open_, {}, [](const auto& one) { return one.second.until; }));
  }
  std::string state = make_trace_id() + make_trace_id();
  open_[state] = {std::move(principal), std::move(fingerprint), now + kPatience};
  return state;
}

bool Approvals::close(std::string_view state, std::string_view principal,
                      std::string_view fingerprint, Time now) {
  auto found = open_.find(state);
  if (found == open_.end()) return false;
  bool same = found->second.principal == principal && found->second.fingerprint == fingerprint &&
              now <= found->second.until;
  if (same) open_.erase(found);
  return same;
}

namespace {

// What the template of the session says of risky code.
model::RiskPolicy policy_of(Call& call, const SessionId& id) {
  const model::Session* session = call.control().sessions().row_of(id);
  if (session == nullptr) return {};
  Result<control::TemplatePtr> origin = call.control().templates().find(session->template_id);
  return origin ? (*origin)->spec.policy.value_or(model::RiskPolicy()) : model::RiskPolicy();
}

}  // namespace

Task<Verdict> approve(CallPtr call, SessionId session, const control::ExecuteRequest* run) {
  const NeedsApproval& needs_approval = call->mcp->options.needs_approval;
  std::optional<std::string> text;
  if (needs_approval) {
    text = needs_approval(call->caller, *run);
  } else {
    text =
        co_await call->control().decider().question(call->caller, run, policy_of(*call, session));
  }
  if (!text) co_return Verdict::kApproved;
  if (call->modern) co_return ask_modern(call, *text);
  co_return co_await ask_legacy(std::move(call), std::move(*text));
}

}  // namespace atl::api::mcp
