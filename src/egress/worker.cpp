#include "egress/worker.hpp"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <map>
#include <memory>

#include "base/field_error.hpp"
#include "egress/context.hpp"
#include "egress/control.hpp"
#include "egress/posture.hpp"
#include "egress/received_sockets.hpp"
#include "egress/sandbox.hpp"
#include "egress/sealed_text.hpp"
#include "egress/upstream.hpp"

namespace atl::egress {

namespace {

constexpr std::chrono::milliseconds kBetweenEvents{100};
constexpr std::size_t kMaxSandboxes = 100'000;
constexpr std::size_t kMaxSandboxName = 256;

class Worker {
 public:
  Worker(const WorkerOptions& options, Loop& loop, Group& group, const OwnAddresses& own,
         std::uint64_t own_netns)
      : options_(options),
        loop_(loop),
        resolver_(loop, group),
        context_{.loop = loop, .resolver = resolver_, .own = own},
        own_netns_(own_netns),
        idle_(loop, [this] { loop_.stop(kToldToEnd); }),
        events_(loop, [this] { tell_events(); }),
        control_(
            loop, group, options.control, options.client_uid,
            [this](const Request& request, std::vector<UniqueFd> fds) {
              return handle(request, std::move(fds));
            },
            [this] { clients_changed(); }) {
    context_.memory = options.bounds.memory;
    resolver_.use(servers_in(options.resolv_conf));
    watch_idleness();
    events_.start(kBetweenEvents);
  }

 private:
  Reply handle(const Request& request, std::vector<UniqueFd> fds) {
    Reply reply;
    Result<void> done = perform(request, std::move(fds), reply);
    if (!done) {
      const Error& error = done.error();
      reply.error = Failure{static_cast<std::uint16_t>(error.code()), error.message(), {}};
      if (!field_of(error).empty()) reply.error->field = std::string(field_of(error));
    }
    watch_idleness();
    return reply;
  }

  Result<void> perform(const Request& request, std::vector<UniqueFd> fds, Reply& reply) {
    if (request.hello) {
      reply.sandboxes.emplace();
      for (const auto& [id, sandbox] : sandboxes_) reply.sandboxes->push_back(id);
      return {};
    }
    if (request.attach) return attach(*request.attach, std::move(fds));
    if (request.set_policy) {
      ATOLL_TRY(Sandbox * sandbox, find(request.set_policy->sandbox));
      ATOLL_TRY(Rules rules, compile_all(*request.set_policy));
      sandbox->set_policy(std::move(rules.policy), std::move(rules.edits));
      return {};
    }
    if (request.detach) {
      auto node = sandboxes_.extract(request.detach->sandbox);
      if (node.empty()) return fail(Code::kNotFound, "no such sandbox is attached");
      node.mapped()->leave();
      loop_.bury(std::move(node.mapped()));
      std::erase_if(tenants_, [](const auto& one) { return one.second.expired(); });
      count_descriptors();
      return {};
    }
    if (request.figures) {
      ATOLL_TRY(Sandbox * sandbox, find(request.figures->sandbox));
      // Refusals are sent before the figures that count them.
      push_events();
      reply.figures = sandbox->figures();
      return {};
    }
    if (request.settings) return apply(*request.settings);
    if (request.end) {
      ending_ = true;  // when its answer is sent
      return {};
    }
    return fail(Code::kInvalidArgument, "the request asks for nothing");
  }

  Result<Sandbox*> find(const std::string& id) {
    auto found = sandboxes_.find(id);
    if (found == sandboxes_.end()) return fail(Code::kNotFound, "no such sandbox is attached");
    return found->second.get();
  }

  struct Rules {
    Policy policy;
    RequestEdits edits;
  };
  // Of an attach or a set_policy.
  template <typename From>
  Result<Rules> compile_all(const From& from) {
    Rules rules;
    ATOLL_TRY(rules.policy, compile(from.policy));
    for (const auto& [host, addresses] : from.pinned.value_or(Pinned())) {
      ATOLL_CHECK(rules.policy.pin(host, addresses));
    }
    ATOLL_TRY(rules.edits, RequestEdits::make(rules.policy, from.secrets.value_or(Secrets())));
    if (rules.edits.empty()) return rules;
    if (!context_.authority) {
      return fail(Code::kInvalidArgument,
                  "a policy with headers or secrets needs the authority that settings give");
    }
    if (!context_.upstream) {
      ATOLL_TRY(context_.upstream, upstream_context(options_.roots, {}));
    }
    return rules;
  }

  Result<void> attach(const Attach& request, std::vector<UniqueFd> fds) {
    if (fds.size() != 2) return fail(Code::kInvalidArgument, "attach comes with two sockets");
    if (request.sandbox.empty() || request.sandbox.size() > kMaxSandboxName) {
      return fail(Code::kInvalidArgument, "a sandbox has a name of 1 to 256 bytes");
    }
    ATOLL_CHECK(check_sockets(fds[0].get(), fds[1].get(), own_netns_));
    ATOLL_TRY(Rules rules, compile_all(request));
    auto found = sandboxes_.find(request.sandbox);
    if (found == sandboxes_.end()) {
      if (sandboxes_.size() >= kMaxSandboxes) {
        return fail(Code::kResourceExhausted, "too many sandboxes are attached");
      }
      auto made = std::make_shared<Sandbox>(context_, request.sandbox, std::move(rules.policy),
                                            std::move(rules.edits), tenant_of(request),
                                            request.used_bytes.value_or(0));
      found = sandboxes_.emplace(request.sandbox, std::move(made)).first;
      count_descriptors();
    } else {
      found->second->set_policy(std::move(rules.policy), std::move(rules.edits));
    }
    found->second->use(std::move(fds[0]), std::move(fds[1]));
    return {};
  }

  // Those without a name have one each.
  std::shared_ptr<Tenant> tenant_of(const Attach& request) {
    if (!request.tenant) return std::make_shared<Tenant>(context_);
    std::weak_ptr<Tenant>& known = tenants_[*request.tenant];
    std::shared_ptr<Tenant> tenant = known.lock();
    if (!tenant) known = tenant = std::make_shared<Tenant>(context_);
    return tenant;
  }

  // A connection has two descriptors, and a sandbox has two. The rest is for looking names up.
  void count_descriptors() {
    std::size_t all = options_.bounds.descriptors, taken = all / 16 + 16 + 2 * sandboxes_.size();
    context_.capacity = all > taken ? (all - taken) / 2 : 1;
  }

  void limit(const Settings& settings) {
    Limits& limits = context_.limits;
    limits.connections = settings.max_connections.value_or(limits.connections);
    limits.new_names_per_second =
        settings.new_names_per_second.value_or(limits.new_names_per_second);
    limits.bytes_per_second = settings.bytes_per_second.value_or(limits.bytes_per_second);
    limits.bytes = settings.bytes.value_or(limits.bytes);
    limits.tenant_connections = settings.tenant_connections.value_or(limits.tenant_connections);
    limits.tenant_bytes_per_second =
        settings.tenant_bytes_per_second.value_or(limits.tenant_bytes_per_second);
    for (auto& [id, sandbox] : sandboxes_) sandbox->limits_changed();
  }

  Result<void> apply(const Settings& settings) {
    std::vector<Endpoint> servers;
    for (const std::string& text : settings.resolvers.value_or(std::vector<std::string>())) {
      std::optional<Endpoint> server = Endpoint::parse(text, 53);
      if (!server) return fail(Code::kInvalidValue, "a resolver is ADDRESS or ADDRESS:PORT");
      servers.push_back(*server);
    }
    std::vector<Network> trusted;
    for (const std::string& text : settings.trusted.value_or(std::vector<std::string>())) {
      std::optional<Network> network = Network::parse(text);
      if (!network) return fail(Code::kInvalidValue, "a trusted network is ADDRESS/BITS");
      trusted.push_back(*network);
    }
    if (settings.max_connections == 0u || settings.tenant_connections == 0u ||
        settings.new_names_per_second == 0u) {
      return fail(Code::kInvalidValue, "limits on connections and names must be at least 1");
    }
    std::optional<Proxy> proxy;
    if (settings.upstream && !settings.upstream->empty()) {
      proxy = Proxy::parse(*settings.upstream);
      if (!proxy)
        return fail(Code::kInvalidValue, "upstream is socks5://HOST:PORT or http://HOST:PORT");
    }
    std::optional<Authority> authority;
    if (settings.authority) {
      ATOLL_TRY(authority, Authority::parse(*settings.authority));
    }
    std::shared_ptr<SSL_CTX> upstream;
    if (settings.roots) {
      ATOLL_TRY(upstream, upstream_context(options_.roots, *settings.roots));
    }
    if (authority) context_.authority = std::move(authority);
    if (upstream) context_.upstream = std::move(upstream);
    if (settings.resolvers) resolver_.use(std::move(servers));
    if (settings.trusted) context_.trusted = std::move(trusted);
    if (settings.refuse_ech) context_.refuse_ech = *settings.refuse_ech;
    if (settings.nxdomain) context_.nxdomain = *settings.nxdomain;
    if (settings.upstream) context_.proxy = std::move(proxy);
    limit(settings);
    return {};
  }

  void clients_changed() {
    if (options_.once && control_.clients() == 0) loop_.stop(kToldToEnd);
    watch_idleness();
  }

  void watch_idleness() {
    bool idle = control_.clients() == 0 && sandboxes_.empty();
    if (!idle) idle_.cancel();
    if (idle && !idle_.runs()) idle_.start(options_.idle);
  }

  void tell_events() {
    if (ending_) return loop_.stop(kToldToEnd);
    push_events();
    events_.start(kBetweenEvents);
  }

  void push_events() {
    if (!context_.events.empty() && control_.clients() > 0) control_.push(context_.events.take());
  }

  const WorkerOptions& options_;
  Loop& loop_;
  Resolver resolver_;
  Context context_;
  std::uint64_t own_netns_;
  bool ending_ = false;
  std::map<std::string, std::weak_ptr<Tenant>> tenants_;
  std::map<std::string, std::shared_ptr<Sandbox>> sandboxes_;
  Timer idle_, events_;
  Control control_;
};

// All that OpenSSL would look for in files or ask the kernel for later; what is left are random
// numbers and memory.
Result<void> prepare_tls() {
  if (OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) != 1) {
    return fail(Code::kInternal, "cannot initialise OpenSSL");
  }
  if (!SealedText::prepare_region()) {
    return fail(Code::kResourceExhausted, "cannot allocate memory for secrets");
  }
  return {};
}

}  // namespace

Result<int> run_worker(const WorkerOptions& options) {
  Loop loop;
  Group group(loop);
  ATOLL_TRY(std::uint64_t own_netns, own_netns_cookie());
  ATOLL_TRY(std::unique_ptr<OwnAddresses> own, OwnAddresses::open(group));
  ATOLL_CHECK(prepare_tls());
  if (options.confine) ATOLL_CHECK(confine_worker());
  Worker worker(options, loop, group, *own, own_netns);
  return loop.run();
}

}  // namespace atl::egress
