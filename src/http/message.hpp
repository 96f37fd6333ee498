// What travels over HTTP: methods, header fields, requests and responses. Plain data; the server
// fills a Request after it has checked it, the client likewise a response.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace atl::http {

enum class Method { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions };

std::string_view method_name(Method method);
std::optional<Method> method_from_name(std::string_view name);

// Header fields in the order they came. Names compare without case. A value never holds CR, LF or
// NUL: they become spaces; a field whose name is no token is dropped.
class Headers {
 public:
  struct Field {
    std::string name, value;
  };

  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string_view, std::string_view>> fields);

  void add(std::string_view name, std::string_view value);
  // Replaces every field of that name by this one.
  void set(std::string_view name, std::string_view value);
  void erase(std::string_view name);
  void clear() { fields_.clear(); }
  // The first field of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  // The same, or "" when there is none.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const { return find(name).has_value(); }
  std::size_t count(std::string_view name) const;
  // Whether `token` is an element of the comma-separated list in the fields of that name.
  bool has_token(std::string_view name, std::string_view token) const;

  std::size_t size() const { return fields_.size(); }
  bool empty() const { return fields_.empty(); }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
};

bool same_name(std::string_view a, std::string_view b);

struct Request {
  Method method = Method::kGet;
  std::string target;                                      // as the client sent it
  std::string path;                                        // raw: percent-encoded, without query
  std::vector<std::pair<std::string, std::string>> query;  // decoded
  Headers headers;
  std::string peer;  // "127.0.0.1:40000", "[::1]:40000", "unix"
  bool tls = false;
  std::map<std::string, std::string> captures;  // path parameters, decoded, UTF-8 without NUL
  std::string raw_rest;                         // what {x...} took, still percent-encoded
  std::string route;                            // RouteOptions::name of the route that was taken
  std::string id;                               // request id, when a middleware gave one

  // The first value of that name.
  std::optional<std::string_view> find_query(std::string_view name) const;
  std::string_view query_value(std::string_view name) const;  // "" when there is none
  // "" when the route has no such parameter.
  const std::string& capture(std::string_view name) const;
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

std::string_view status_text(int status);

}  // namespace atl::http
