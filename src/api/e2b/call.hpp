// One request of an E2B client on its way through an endpoint, and what endpoints share: fields of
// JSON bodies, answers, and both forms of an error.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "api/common/refusal.hpp"
#include "api/e2b/e2b.hpp"
#include "api/e2b/watchers.hpp"
#include "async/pool.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "codec/json.hpp"
#include "control/control.hpp"
#include "http/exchange.hpp"
#include "http/router.hpp"

namespace atl::api::e2b {

using async::Task;
using boost::json::array;
using boost::json::object;
using boost::json::value;
using http::Access;
using http::Method;
using StringMap = std::map<std::string, std::string>;

// What all endpoints share. Lives as long as the routers.
struct E2b {
  E2b(control::Control& plane, const E2bOptions& wishes);

  control::Control& control;
  E2bOptions options;
  async::Pool pool;  // for outputs in files
  Watchers watchers;
};
using E2bPtr = std::shared_ptr<E2b>;

struct Call {
  E2bPtr e2b;
  http::Exchange* exchange;
  control::Caller caller;
  SessionId sandbox = {};  // of requests to a sandbox: one that lives

  control::Control& control() const { return e2b->control; }
  const http::Request& request() const { return exchange->request(); }
};

using Plain = Task<Answer<http::Response>> (*)(Call call);
using Streaming = Task<Answer<void>> (*)(Call call);

class Routes {
 public:
  Routes(http::Router& router, E2bPtr e2b, bool in_sandbox)
      : router_(router), e2b_(std::move(e2b)), in_sandbox_(in_sandbox) {}

  void add(Method method, std::string_view path, std::string_view operation, Access access,
           Plain plain);
  void add(Method method, std::string_view path, std::string_view operation, Access access,
           Streaming streaming);
  void add_any(std::string_view path, std::string_view operation, Access access,
               Streaming streaming);

 private:
  http::Handler handler(Plain plain) const;
  http::Handler handler(Streaming streaming) const;

  http::Router& router_;
  E2bPtr e2b_;
  bool in_sandbox_;  // requests are to a sandbox, which is looked for first
};

// The groups of endpoints: one file each.
void add_sandboxes(Routes& routes);
void add_sandbox_changes(Routes& routes);
void add_snapshots(Routes& routes);
void add_unsupported(Routes& routes);
void add_envd(Routes& routes);
void add_files(Routes& routes);
void add_rpc(Routes& routes);
void add_interpreter(Routes& routes);
void add_ports(Routes& routes);

// The body as a JSON object; nothing at all is {}.
Task<Answer<object>> read_object(Call call);
http::Response json_response(int status, const value& body);
http::Response no_content();

// The status that clients of E2B expect of a refusal, and {"code", "message"}.
int status_of(const Refusal& refusal);
http::Response error_response(const Refusal& refusal);
std::string message_of(const Refusal& refusal);

// Members of a body. Absent and null are the same; anything of the wrong type is refused.
Answer<std::optional<std::string>> text_member(const object& body, std::string_view name,
                                               std::size_t longest);
Answer<std::optional<bool>> flag_member(const object& body, std::string_view name);
// A whole number from `least` to `most`, however it is written.
Answer<std::optional<std::uint64_t>> number_member(const object& body, std::string_view name,
                                                   std::uint64_t least, std::uint64_t most);
Answer<StringMap> map_member(const object& body, std::string_view name);
Answer<std::vector<std::string>> list_member(const object& body, std::string_view name);
const object* object_member(const object& body, std::string_view name);

}  // namespace atl::api::e2b
