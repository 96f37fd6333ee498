#include "http/router.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "http/problem.hpp"
#include "http/uri.hpp"

namespace atl::http {

namespace {

constexpr std::size_t kMethods = 7;
constexpr std::size_t kMaxSegments = 256;

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> segments;
  path.remove_prefix(1);
  for (;;) {
    std::size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos || segments.size() > kMaxSegments) return segments;
    path.remove_prefix(slash + 1);
  }
}

[[noreturn]] void refuse(std::string_view pattern, const char* why) {
  throw std::logic_error("route " + std::string(pattern) + ": " + why);
}

Task<void> say_not_found(Exchange* exchange) {
  static_cast<void>(co_await exchange->respond(
      problem(404, "not_found", "there is nothing at this path", exchange->request().id)));
}

}  // namespace

// One segment of the patterns. The name of a parameter belongs to the route, so that two patterns
// may call the same segment differently.
struct Router::Node {
  struct Leaf {
    std::array<const Route*, kMethods> by_method{};
    const Route* any = nullptr;
    bool empty() const {
      return any == nullptr && std::ranges::all_of(by_method, [](auto* one) { return !one; });
    }
    const Route* find(Method method) const {
      const Route* route = by_method[static_cast<std::size_t>(method)];
      if (route == nullptr && method == Method::kHead) {
        route = by_method[static_cast<std::size_t>(Method::kGet)];
      }
      return route != nullptr ? route : any;
    }
  };

  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> parameter;
  Leaf here, rest;
};

struct Router::Search {
  Method method;
  const std::vector<std::string>& segments;
  std::array<bool, kMethods> allowed{};
  bool path_known = false;

  const Route* take(const Node::Leaf& leaf) {
    if (leaf.empty()) return nullptr;
    path_known = true;
    for (std::size_t i = 0; i < kMethods; ++i) {
      if (leaf.by_method[i] != nullptr) allowed[i] = true;
    }
    return leaf.find(method);
  }

  // Each node is visited at most once, so the table bounds the work, not the path.
  const Route* walk(const Node& node, std::size_t at) {
    if (at == segments.size()) return take(node.here);
    if (auto found = node.literals.find(segments[at]); found != node.literals.end()) {
      if (const Route* route = walk(*found->second, at + 1)) return route;
    }
    if (node.parameter && !segments[at].empty()) {
      if (const Route* route = walk(*node.parameter, at + 1)) return route;
    }
    return take(node.rest);
  }
};

Router::Router()
    : root_(std::make_unique<Node>()),
      fallback_([](Exchange& exchange) { return say_not_found(&exchange); }) {}
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;
Router::~Router() = default;

void Router::add(Method method, std::string_view pattern, Handler handler, RouteOptions options) {
  insert(method, pattern, std::move(handler), std::move(options));
}

void Router::add(Any /*any*/, std::string_view pattern, Handler handler, RouteOptions options) {
  insert(std::nullopt, pattern, std::move(handler), std::move(options));
}

void Router::set_fallback(Handler handler) { fallback_ = std::move(handler); }

void Router::insert(std::optional<Method> method, std::string_view pattern, Handler handler,
                    RouteOptions options) {
  if (!pattern.starts_with('/')) refuse(pattern, "must begin with a slash");
  Node* node = root_.get();
  std::vector<std::string_view> segments = split(pattern);
  bool rest = false;
  for (std::string_view segment : segments) {
    if (rest) refuse(pattern, "nothing may follow {name...}");
    bool parameter = segment.starts_with('{') && segment.ends_with('}') && segment.size() > 2;
    if (!parameter && segment.find_first_of("{}%?#") != std::string_view::npos) {
      refuse(pattern, "a parameter is a whole segment, and literals are plain");
    }
    rest = parameter && segment.ends_with("...}");
    if (rest) continue;
    std::unique_ptr<Node>& next =
        parameter ? node->parameter : node->literals[std::string(segment)];
    if (!next) next = std::make_unique<Node>();
    node = next.get();
  }
  Node::Leaf& leaf = rest ? node->rest : node->here;
  const Route*& place = method ? leaf.by_method[static_cast<std::size_t>(*method)] : leaf.any;
  if (place != nullptr) refuse(pattern, "is there already");
  routes_.push_back(std::make_unique<Route>(
      Route{method, std::string(pattern), std::move(options), std::move(handler)}));
  place = routes_.back().get();
}

Router::Match Router::match(Method method, std::string_view path) const {
  Match result;
  if (!path.starts_with('/')) return result;
  std::vector<std::string_view> raw = split(path);
  if (raw.size() > kMaxSegments) return result;
  std::vector<std::string> segments;
  segments.reserve(raw.size());
  for (std::string_view segment : raw) {
    std::optional<std::string> decoded = percent_decode(segment);
    if (!decoded || !is_clean_text(*decoded)) {
      result.kind = Match::Kind::kBadPath;
      return result;
    }
    segments.push_back(std::move(*decoded));
  }
  Search search{.method = method, .segments = segments};
  result.route = search.walk(*root_, 0);
  if (result.route == nullptr) {
    if (!search.path_known) return result;
    result.kind = Match::Kind::kWrongMethod;
    if (search.allowed[static_cast<std::size_t>(Method::kGet)]) {
      search.allowed[static_cast<std::size_t>(Method::kHead)] = true;
    }
    for (std::size_t i = 0; i < kMethods; ++i) {
      if (!search.allowed[i]) continue;
      if (!result.allow.empty()) result.allow += ", ";
      result.allow += method_name(static_cast<Method>(i));
    }
    return result;
  }
  result.kind = Match::Kind::kFound;
  std::vector<std::string_view> names = split(result.route->pattern);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string_view name = names[i];
    if (!name.starts_with('{')) continue;
    if (!name.ends_with("...}")) {
      result.captures.emplace_back(name.substr(1, name.size() - 2), std::move(segments[i]));
      continue;
    }
    std::string joined = std::move(segments[i]);
    for (std::size_t k = i + 1; k < segments.size(); ++k) (joined += '/') += segments[k];
    result.captures.emplace_back(name.substr(1, name.size() - 5), std::move(joined));
    result.raw_rest = path.substr(static_cast<std::size_t>(raw[i].data() - path.data()));
  }
  return result;
}

Task<void> Router::handle(Exchange& exchange) const {
  const Request& request = exchange.request();
  return dispatch(&exchange, match(request.method, request.path));
}

Task<void> Router::dispatch(Exchange* exchange, Match found) const {
  Request& request = exchange->request();
  switch (found.kind) {
    case Match::Kind::kFound: {
      for (auto& [name, value] : found.captures) request.captures[name] = std::move(value);
      request.raw_rest = std::move(found.raw_rest);
      request.route = found.route->options.name;
      co_await found.route->handler(*exchange);
      co_return;
    }
    case Match::Kind::kNotFound: co_await fallback_(*exchange); co_return;
    case Match::Kind::kWrongMethod: {
      Response response =
          problem(405, "method_not_allowed", "this path does not know the method", request.id);
      response.headers.set("Allow", found.allow);
      static_cast<void>(co_await exchange->respond(std::move(response)));
      co_return;
    }
    case Match::Kind::kBadPath: {
      Error error(Code::kInvalidArgument, "the path is not percent-encoded UTF-8 without NUL");
      static_cast<void>(co_await exchange->respond(problem(error, request.id)));
      co_return;
    }
  }
}

Handler Router::handler() const {
  return [this](Exchange& exchange) { return handle(exchange); };
}

}  // namespace atl::http
