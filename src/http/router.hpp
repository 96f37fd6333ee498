// From method and path to handler. Patterns are made of segments: `/api/v1/sessions/{id}` takes one
// segment as a parameter, `/files/{name...}` the rest with its slashes, "" included. Literal
// segments win over parameters, parameters over the rest. Pure: no I/O, nothing resolved, `..` is a
// name like others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/exchange.hpp"
#include "http/message.hpp"

namespace atl::http {

// Who may call a route. The router only keeps it: the middleware in front of it asks for the key
// and refuses whoever may not, and every call of a route that declares nothing.
enum class Access : std::uint8_t {
  kUndeclared,
  kAnyone,  // no key needed
  kReader,  // any key
  kWriter,  // any key but a read-only one
  kAdmin,   // the roles admin and owner
};

struct RouteOptions {
  std::string name = {};  // operationId
  Access access = Access::kUndeclared;
};

struct Route {
  std::optional<Method> method;  // nullopt takes any
  std::string pattern;
  RouteOptions options;
  Handler handler;
};

struct Any {};
inline constexpr Any kAny{};

class Router {
 public:
  Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;
  ~Router();

  // Throws std::logic_error on a bad pattern or one that is taken: the table is made at start.
  void add(Method method, std::string_view pattern, Handler handler, RouteOptions options = {});
  void add(Any any, std::string_view pattern, Handler handler, RouteOptions options = {});
  // What no route takes; a 404 problem by default. 405 is not asked here.
  void set_fallback(Handler handler);
  const std::vector<std::unique_ptr<Route>>& routes() const { return routes_; }

  struct Match {
    enum class Kind { kFound, kNotFound, kWrongMethod, kBadPath };
    Kind kind = Kind::kNotFound;
    const Route* route = nullptr;
    std::vector<std::pair<std::string, std::string>> captures;
    std::string raw_rest;
    std::string allow;  // kWrongMethod: value of Allow
  };
  // `path` is raw. HEAD is served by the handlers of GET.
  Match match(Method method, std::string_view path) const;

  Task<void> handle(Exchange& exchange) const;
  // Calls the route that match() found for this request, or answers why there is none.
  Task<void> handle(Exchange& exchange, Match found) const {
    return dispatch(&exchange, std::move(found));
  }
  // For Server; the Router must outlive it.
  Handler handler() const;

 private:
  struct Node;
  struct Search;
  Task<void> dispatch(Exchange* exchange, Match found) const;
  void insert(std::optional<Method> method, std::string_view pattern, Handler handler,
              RouteOptions options);

  std::vector<std::unique_ptr<Route>> routes_;
  std::unique_ptr<Node> root_;
  Handler fallback_;
};

}  // namespace atl::http
