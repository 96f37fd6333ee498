// For the tests of the API: the whole server, from the socket to sandboxes of the fake backend, in
// this process; and a client of it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "async/task.hpp"
#include "control/control.hpp"
#include "control/test_store.hpp"
#include "http/client.hpp"
#include "http/router.hpp"
#include "http/sse.hpp"

namespace atl::api::rest::test {

using async::Task;
using http::Method;

struct Reply {
  int status = 0;
  http::Headers headers;
  std::string body;

  boost::json::value json() const;
  // The member at this path of names, as text; strings without quotes, "" when there is none.
  std::string at(std::initializer_list<std::string_view> path) const;
};

struct Api {
  async::Executor executor;
  control::Control* control;
  http::Client* client;
  http::Router* router;
  http::Headers headers;  // with every request
  std::string address;    // host:port
  std::string folder;     // data/ and run/ are in there

  Task<Reply> call(Method method, std::string target, std::string body = {},
                   http::Headers more = {});
  Task<std::string> make_session();  // its id; shell-default, ready
  // Runs Python that prints its port, and goes on: the port.
  Task<std::string> serve(std::string session, std::string python);
  Task<std::vector<http::SseEvent>> events(Method method, std::string target, std::string body = {},
                                           http::Headers more = {});
};

struct ApiWish {
  bool keys = false;
  // Nothing waits on shelves: a test that needs no sandbox makes none. What the server itself is
  // made of is put in.
  control::ControlOptions control{.pool_size = 0};
  node::LocalNodeOptions node;
  std::uint64_t body_bytes = 16u << 20;
  std::uint64_t upload_bytes = 16ull << 30;
  control::test::OnWrite on_write = {};
  std::string preview_domain = {};
  std::vector<std::string> cors_origins = {};
  // Other protocols on the same port.
  std::function<void(http::Router&, control::Control&, async::Executor)> more_routes = {};
};

// The operations that some test has had an answer from that was no error.
std::set<std::string>& answered();

// Fails the test instead of hanging. `body` is an ordinary function that makes a coroutine.
void with_api(std::function<Task<void>(Api*)> body, ApiWish wish = {});

}  // namespace atl::api::rest::test
