#include "session.hpp"

#include <chrono>
#include <thread>

#include "figures.hpp"

namespace atl::bench {

std::string must_be(int status, Reply reply) {
  if (reply.status != status) give_up(std::to_string(reply.status) + " " + reply.body);
  return std::move(reply.body);
}

std::string make_session(Connection& connection, const Target& target, const std::string& body) {
  Reply reply =
      connection.call(target.request("POST", "/api/v1/sessions", body, "Prefer: wait\r\n"));
  return string_member(must_be(201, std::move(reply)), "id");
}

void delete_session(Connection& connection, const Target& target, const std::string& id) {
  must_be(204, connection.call(target.request("DELETE", "/api/v1/sessions/" + id)));
}

void wait_for_pool(Connection& connection, const Target& target, const std::string& template_id) {
  std::string line = "warm_pool_size{template=\"" + template_id + "\"} 5\n";
  std::string request = target.request("GET", "/api/v1/metrics");
  Clock::time_point start = Clock::now();
  while (must_be(200, connection.call(request)).find(line) == std::string::npos) {
    if (ms_since(start) > 60'000) give_up("the pool of " + template_id + " does not fill");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace atl::bench
