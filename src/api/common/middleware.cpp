#include "api/common/middleware.hpp"

#include <any>
#include <chrono>
#include <map>
#include <memory>
#include <utility>

#include "api/common/cors.hpp"
#include "api/common/host.hpp"
#include "api/common/id_name.hpp"
#include "api/common/preview_gate.hpp"
#include "api/common/refusal.hpp"
#include "api/common/trace.hpp"
#include "base/ids.hpp"
#include "http/problem.hpp"
#include "observe/log.hpp"

namespace atl::api {

namespace {

using async::Task;
using std::chrono::steady_clock;

constexpr int kClientGone = 499;  // never sent: it went away before its answer began

// The series of requests, found once each: a request pays for two look-ups in small maps.
class RequestFigures {
 public:
  explicit RequestFigures(observe::Metrics& metrics) : metrics_(metrics) {}

  void count(const std::string& operation, http::Method method, int status, double seconds) {
    Series& series = series_[operation];
    if (series.time == nullptr) {
      series.time = &metrics_.histogram("api_request_duration_seconds",
                                        "From the head of a request to its answer's end",
                                        observe::seconds_buckets(), {{"operation", operation}});
    }
    series.time->observe(seconds);
    observe::Counter*& counter = series.counts[{method, status}];
    if (counter == nullptr) {
      counter = &metrics_.counter("api_requests_total", "Requests by operation and status",
                                  {{"operation", operation},
                                   {"method", std::string(http::method_name(method))},
                                   {"status", std::to_string(status)}});
    }
    counter->add();
  }

 private:
  struct Series {
    observe::Histogram* time = nullptr;
    std::map<std::pair<http::Method, int>, observe::Counter*> counts;
  };
  observe::Metrics& metrics_;
  std::map<std::string, Series> series_;
};

struct Guard {
  const http::Router* router;
  control::Control* control;
  AuthOptions options;
  RequestFigures figures;
};
using GuardPtr = std::shared_ptr<Guard>;

// Counts and logs the request when it is over, however it ends.
class Account {
 public:
  Account(Guard& guard, http::Exchange& exchange, std::string trace_id)
      : guard_(guard), exchange_(exchange), trace_id_(std::move(trace_id)) {}
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  void returned() { returned_ = true; }
  ~Account() {
    const http::Request& request = exchange_.request();
    int status = exchange_.status();
    if (status == 0) status = returned_ ? kClientGone : 500;
    std::chrono::duration<double> time = steady_clock::now() - begun_;
    std::string operation = request.route.empty() ? "none" : request.route;
    guard_.figures.count(operation, request.method, status, time.count());
    log::Level level = status >= 400 ? log::Level::kInfo : log::Level::kDebug;
    if (log::level() > level) return;
    log::write(
        level, "request",
        {log::kv("request_id", request.id), log::kv("trace_id", trace_id_),
         log::kv(id_name(request.path), request.capture("id")),
         log::kv("method", http::method_name(request.method)), log::kv("operation", operation),
         log::kv("status", status), log::kv("duration_ms", time.count() * 1000),
         log::kv("bytes", exchange_.bytes_sent()), log::kv("peer", request.peer)});
  }

 private:
  Guard& guard_;
  http::Exchange& exchange_;
  std::string trace_id_;
  steady_clock::time_point begun_ = steady_clock::now();
  bool returned_ = false;
};

// An owner may act for any tenant.
Answer<control::Caller> for_tenant(control::Caller caller, const http::Request& request) {
  auto tenant = request.headers.find("atoll-tenant");
  if (!tenant) return caller;
  if (!caller.is_owner()) {
    return refuse(Code::kForbidden, "only a key with the role owner may name an Atoll-Tenant");
  }
  if (!control::is_tenant_name(*tenant)) {
    return refuse(Code::kInvalidArgument, "Atoll-Tenant must be the name of a tenant");
  }
  caller.tenant = *tenant;
  caller.chose_tenant = true;
  return caller;
}

// A request that no route takes shows its key like others, so that 404 and 405 tell nothing to
// strangers.
http::Access access_of(const http::Router::Match& found) {
  return found.route != nullptr ? found.route->options.access : http::Access::kReader;
}

Answer<void> check_role(http::Access access, const control::Caller& caller) {
  switch (access) {
    case http::Access::kAnyone:
    case http::Access::kReader: return {};
    case http::Access::kWriter:
      if (caller.may_write()) return {};
      return refuse(Code::kForbidden, "this key is read-only");
    case http::Access::kAdmin:
      if (caller.is_admin()) return {};
      return refuse(Code::kForbidden, "this needs a key with the role admin or owner");
    case http::Access::kUndeclared: break;
  }
  return refuse(Code::kForbidden, "this route does not declare who may call it");
}

// Without keys every client that reaches the port is the owner, so web pages must not reach it: not
// under a name of its own that it lets point here (DNS rebinding), and not as a page of another
// origin. No browser speaks to a Unix socket.
Answer<void> check_browser(const http::Request& request) {
  auto host = parse_host(request.headers.get("host"));
  if (request.peer != "unix" && !(host && is_loopback_name(host->name))) {
    return refuse(403, "foreign_host",
                  "a server without keys answers only to loopback names: use localhost, 127.0.0.1 "
                  "or [::1] as the host, or start the server with keys");
  }
  if (is_foreign_page(request)) {
    return refuse(403, "foreign_origin",
                  "a server without keys takes no requests of web pages of other origins: start it "
                  "with keys, or remove the Origin and Sec-Fetch-Site fields");
  }
  return {};
}

std::optional<PreviewHost> preview_of(const Guard& guard, const http::Request& request) {
  auto host = parse_host(request.headers.get("host"));
  return host ? preview_host(host->name, guard.options.preview_domain) : std::nullopt;
}

// Where a request goes, as far as its head says.
struct Way {
  std::optional<PreviewHost> preview;
  const Dialect* dialect = nullptr;  // then there is no preview
  http::Router::Match found;
  http::Access access = http::Access::kReader;
};

Way way_of(const Guard& guard, const http::Request& request) {
  Way way{.preview = preview_of(guard, request)};
  way.dialect = dialect_of(guard.options.dialects, request, way.preview);
  if (way.dialect != nullptr) way.preview.reset();
  if (way.preview) {
    way.access = http::Access::kWriter;  // what it reaches may do anything inside the sandbox
    return way;
  }
  const http::Router& router = way.dialect != nullptr ? way.dialect->router : *guard.router;
  way.found = router.match(request.method, request.path);
  way.access = access_of(way.found);
  return way;
}

std::string session_of(const http::Router::Match& found) {
  for (const auto& [name, value] : found.captures) {
    if (name == "id") return value;
  }
  return {};
}

// The router answers these in the form of REST.
Answer<void> check_found(const Way& way, http::Exchange& exchange) {
  if (way.dialect == nullptr) return {};
  switch (way.found.kind) {
    case http::Router::Match::Kind::kFound: break;
    case http::Router::Match::Kind::kNotFound:
      return refuse(404, "not_found", "there is nothing at this path");
    case http::Router::Match::Kind::kWrongMethod:
      exchange.answer_headers().set("Allow", way.found.allow);
      return refuse(405, "method_not_allowed", "this path does not know the method");
    case http::Router::Match::Kind::kBadPath:
      return refuse(Code::kInvalidArgument, "the path is not percent-encoded UTF-8 without NUL");
  }
  return {};
}

Task<Answer<control::Caller>> identify(GuardPtr guard, http::Exchange* exchange, const Way* way) {
  const http::Request& request = exchange->request();
  if (way->preview) {
    PreviewGate gate{guard->control, guard->options.required, guard->options.preview_domain};
    co_return co_await admit_to_preview(std::move(gate), &request, *way->preview);
  }
  if (!guard->options.required) ATOLL_CO_CHECK(check_browser(request));
  if (way->access == http::Access::kAnyone) {
    co_return control::Caller{.role = model::Role::kReadOnly};
  }
  if (!guard->options.required) co_return for_tenant(control::Caller{}, request);
  if (way->dialect != nullptr && way->dialect->admit) {
    ATOLL_CO_TRY(std::optional<control::Caller> admitted,
                 co_await way->dialect->admit(exchange, session_of(way->found)));
    if (admitted) co_return std::move(*admitted);
  }
  std::optional<ShownKey> key = shown_key(request);
  if (!key) {
    co_return refuse(Code::kUnauthenticated,
                     "a key is needed: send it as `Authorization: Bearer KEY`, `X-API-Key: KEY` or "
                     "`OPEN-SANDBOX-API-KEY: KEY`");
  }
  ATOLL_CO_TRY(control::Caller caller,
               co_await guard->control->keys().check(std::string(key->secret)));
  co_return for_tenant(std::move(caller), request);
}

// Who asks, if they may ask this.
Task<Answer<control::Caller>> admit(GuardPtr guard, http::Exchange* exchange, const Way* way) {
  control::Control& control = *guard->control;
  ATOLL_CO_TRY(control::Caller caller, co_await identify(std::move(guard), exchange, way));
  ATOLL_CO_CHECK(check_role(way->access, caller));
  ATOLL_CO_CHECK(check_found(*way, *exchange));
  if (way->access != http::Access::kAnyone) {
    ATOLL_CO_CHECK(control.tenants().take_request(caller.tenant));
  }
  co_return caller;
}

http::Response refused(const Way& way, const Refusal& why, const http::Request& request) {
  if (way.dialect != nullptr) return way.dialect->refuse(why, request);
  http::Response response = why.response(request.id);
  if (response.status == 401) response.headers.set("WWW-Authenticate", "Bearer");
  return response;
}

Task<void> hand_on(GuardPtr guard, http::Exchange* exchange, Way way) {
  if (way.preview) {
    co_await guard->options.preview(*exchange);
  } else {
    const http::Router& router = way.dialect != nullptr ? way.dialect->router : *guard->router;
    co_await router.handle(*exchange, std::move(way.found));
  }
}

Task<void> handle(GuardPtr guard, http::Exchange* exchange) {
  http::Request& request = exchange->request();
  std::string_view given = request.headers.get("x-request-id");
  request.id = is_request_id(given) ? std::string(given) : make_sortable_id();
  exchange->answer_headers().set("X-Request-Id", request.id);
  auto trace = trace_id_of(request.headers.get("traceparent"));
  std::string trace_id = trace ? *trace : make_trace_id();
  Account account(*guard, *exchange, trace_id);
  Way way = way_of(*guard, request);
  if (way.preview) {
    request.route = "preview";
    request.captures = {{"id", way.preview->session}, {"port", std::to_string(way.preview->port)}};
  } else {
    exchange->answer_headers().set("X-Content-Type-Options", "nosniff");
  }
  if (guard->options.required && !way.preview) {
    auto preflight = admit_page(guard->options.cors_origins, request, exchange->answer_headers());
    if (preflight) {
      request.route = "preflight";
      (void)co_await exchange->respond(std::move(*preflight));
      account.returned();
      co_return;
    }
  }
  Answer<control::Caller> caller = co_await admit(guard, exchange, &way);
  if (!caller) {
    (void)co_await exchange->respond(refused(way, caller.error(), request));
  } else {
    caller->trace_id = std::move(trace_id);
    caller->request_id = request.id;
    control::Keys::Use use(guard->control->keys(), caller->key_id, [exchange] { exchange->cut(); });
    exchange->attachment() = std::move(*caller);
    co_await hand_on(guard, exchange, std::move(way));
  }
  account.returned();
}

}  // namespace

std::optional<ShownKey> shown_key(const http::Request& request) {
  constexpr std::string_view kBearer = "bearer ";
  if (auto value = request.headers.find("authorization")) {
    if (value->size() > kBearer.size() &&
        http::same_name(value->substr(0, kBearer.size()), kBearer)) {
      return ShownKey{"Authorization", value->substr(kBearer.size())};
    }
  }
  for (std::string_view field : {"X-API-Key", "OPEN-SANDBOX-API-KEY"}) {
    auto value = request.headers.find(field);
    if (value && !value->empty()) return ShownKey{field, *value};
  }
  return std::nullopt;
}

control::Caller caller_of(http::Exchange& exchange) {
  const auto* caller = std::any_cast<control::Caller>(&exchange.attachment());
  return caller != nullptr ? *caller : control::Caller{};
}

http::Handler wrap(const http::Router& router, control::Control& control, AuthOptions options) {
  observe::Metrics* metrics = options.metrics != nullptr ? options.metrics : &observe::metrics();
  auto guard =
      std::make_shared<Guard>(&router, &control, std::move(options), RequestFigures(*metrics));
  return [guard](http::Exchange& exchange) { return handle(guard, &exchange); };
}

}  // namespace atl::api
