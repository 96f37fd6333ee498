#include "api/rest/approval_webhook.hpp"

#include <deque>
#include <memory>
#include <utility>

#include <boost/json/object.hpp>

#include "api/rest/approval_view.hpp"
#include "async/deadline.hpp"
#include "async/event.hpp"
#include "codec/base64.hpp"
#include "codec/sha256.hpp"
#include "http/client.hpp"
#include "observe/log.hpp"

namespace atl::api::rest {

namespace {

constexpr std::size_t kMostWaiting = 256;
constexpr int kAtOnce = 4;
constexpr int kAttempts = 5;
constexpr std::size_t kMaxAnswer = 64 * 1024;

struct Delivery {
  std::string event;
  std::string execution;
  std::string tenant;
};

// Shared by the task that listens and those that send.
struct Webhook {
  explicit Webhook(WebhookParts with)
      : parts(std::move(with)),
        url(split_webhook_url(parts.options.url)),
        client(parts.executor, {.endpoint = url.endpoint}) {}

  WebhookParts parts;
  WebhookUrl url;
  http::Client client;
  std::deque<Delivery> waiting;
  async::Event changed;

  void count(std::string_view outcome) const {
    parts.metrics
        ->counter("approval_webhook_deliveries_total", "Messages to approvals.webhook",
                  {{"outcome", std::string(outcome)}})
        .add();
  }
};
using WebhookPtr = std::shared_ptr<Webhook>;

// "approval_requested" and the like; empty: nobody is told.
std::string event_name(const control::LifeEvent& event) {
  if (event.event == "execution_awaiting_approval") return "approval_requested";
  if (event.event == "execution_approved") return "approval_decided";
  if (event.event == "execution_rejected") return "approval_decided";
  return {};
}

Task<void> listen(WebhookPtr hook) {
  std::unique_ptr<control::EventStream> events =
      hook->parts.control->events().follow(std::nullopt, {});
  for (;;) {
    Result<std::optional<control::LifeEventPtr>> event = co_await events->next();
    if (!event || !*event) continue;
    const control::LifeEvent& one = ***event;
    std::string name = event_name(one);
    if (name.empty()) continue;
    if (hook->waiting.size() >= kMostWaiting) {
      hook->count("dropped");
      continue;
    }
    hook->waiting.push_back({std::move(name), one.execution_id, one.tenant});
    hook->changed.notify_all();
  }
}

http::ClientRequest request_for(const Webhook& hook, const Delivery& delivery, std::string body) {
  const WebhookOptions& options = hook.parts.options;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
      hook.parts.control->clock().wall().time_since_epoch());
  std::string timestamp = std::to_string(seconds.count());
  http::ClientRequest request{.method = http::Method::kPost, .target = hook.url.target};
  request.headers.add("Content-Type", "application/json");
  request.headers.add("User-Agent", "atoll/" + hook.parts.version);
  request.headers.add("Atoll-Event", delivery.event);
  request.headers.add("Atoll-Timestamp", timestamp);
  request.headers.add("Atoll-Signature", webhook_signature(options.secret, timestamp, body));
  if (!hook.url.user.empty()) {
    request.headers.add("Authorization", "Basic " + codec::base64(hook.url.user));
  }
  request.body = std::move(body);
  request.deadline = async::deadline_in(options.patience);
  return request;
}

// Any answer but 2xx is a failure; redirects are not followed.
Task<Result<void>> attempt(WebhookPtr hook, const Delivery* delivery, std::string body) {
  http::ClientRequest request = request_for(*hook, *delivery, std::move(body));
  async::Deadline deadline = request.deadline;
  ATOLL_CO_TRY(http::ClientResponse response, co_await hook->client.send(std::move(request)));
  ATOLL_CO_TRY(std::string ignored, co_await response.read_body(kMaxAnswer, deadline));
  if (response.ok()) co_return Result<void>();
  co_return fail(Code::kBackend, "it answered " + std::to_string(response.status()));
}

Task<void> deliver(WebhookPtr hook, Delivery delivery) {
  Result<model::Approval> row = co_await hook->parts.control->approvals().get(
      {.tenant = delivery.tenant}, ExecutionId(delivery.execution));
  if (!row) co_return;  // rejected by something else than a person
  boost::json::object message{{"event", delivery.event}, {"tenant", delivery.tenant}};
  message["approval"] = codec::to_json(approval_view(*row));
  std::string body = codec::serialize(message);
  std::chrono::milliseconds pause = hook->parts.options.again;
  for (int tries = 1;; ++tries) {
    Result<void> sent = co_await attempt(hook, &delivery, body);
    if (sent) {
      hook->count("delivered");
      co_return;
    }
    if (tries == kAttempts) {
      hook->count("failed");
      log::warn("approval_webhook_failed", log::kv("execution_id", delivery.execution),
                log::kv("error", sent.error().to_string()));
      co_return;
    }
    co_await async::sleep_for(pause);
    pause *= 2;
  }
}

Task<void> send_waiting(WebhookPtr hook) {
  for (;;) {
    while (hook->waiting.empty()) co_await hook->changed.wait();
    Delivery next = std::move(hook->waiting.front());
    hook->waiting.pop_front();
    co_await deliver(hook, std::move(next));
  }
}

}  // namespace

WebhookUrl split_webhook_url(std::string_view url) {
  WebhookUrl parts;
  std::size_t begin = url.find("://");
  begin = begin == url.npos ? 0 : begin + 3;
  std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  std::string_view authority = url.substr(begin, end - begin);
  if (std::size_t at = authority.rfind('@'); at != authority.npos) {
    parts.user = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  parts.endpoint = std::string(url.substr(0, begin)) + std::string(authority);
  std::string_view target = url.substr(end);
  target = target.substr(0, target.find('#'));
  parts.target = std::string(target.starts_with('/') ? "" : "/") + std::string(target);
  return parts;
}

std::string webhook_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body) {
  std::string text = std::string(timestamp) + "." + std::string(body);
  return "sha256=" + codec::hmac_sha256_hex(secret, text);
}

void start_approval_webhook(async::TaskGroup& tasks, WebhookParts parts) {
  if (parts.options.url.empty()) return;
  auto hook = std::make_shared<Webhook>(std::move(parts));
  tasks.spawn(listen(hook));
  for (int i = 0; i < kAtOnce; ++i) tasks.spawn(send_waiting(hook));
}

}  // namespace atl::api::rest
