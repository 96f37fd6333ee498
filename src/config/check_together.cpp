#include "config/checks.hpp"
#include "config/load.hpp"

namespace atl::config {
namespace {

class Checker {
 public:
  Checker(const Loaded& loaded, Problems& problems) : loaded_(loaded), problems_(problems) {}

  void server() {
    const ServerConfig& server = loaded_.config.server;
    if (server.listen.empty() && server.unix_socket.empty()) {
      wrong("server.listen", "is empty, and so is /server/unix_socket: nobody could connect");
    }
    if (server.tls.cert_file.empty() != server.tls.key_file.empty()) {
      bool key = server.tls.key_file.empty();
      wrong(key ? "server.tls.cert_file" : "server.tls.key_file",
            key ? "needs /server/tls/key_file too" : "needs /server/tls/cert_file too");
    }
    std::optional<HostPort> address = split_listen(server.listen);
    if (!loaded_.config.auth.enabled && address && !is_loopback(address->host)) {
      wrong("auth.enabled",
            "may be false only while /server/listen is a loopback address, such as 127.0.0.1:8080");
    }
  }

  void approvals() {
    const ApprovalsConfig& approvals = loaded_.config.approvals;
    if (!approvals.webhook.empty() && approvals.webhook_secret.empty()) {
      wrong("approvals.webhook", "needs /approvals/webhook_secret too");
    }
  }

  void times() {
    const Config& config = loaded_.config;
    std::uint64_t longest = config.executions.max_timeout;
    at_most("executions.command_timeout", config.executions.command_timeout, longest,
            "/executions/max_timeout");
    at_most("executions.code_timeout", config.executions.code_timeout, longest,
            "/executions/max_timeout");
    at_most("executions.test_timeout", config.executions.test_timeout, longest,
            "/executions/max_timeout");
    at_most("sandbox.runtime.timeout", config.sandbox.runtime.timeout, config.sessions.max_lifetime,
            "/sessions/max_lifetime");
  }

 private:
  void at_most(const char* path, std::uint64_t value, std::uint64_t most, const char* other) {
    if (value > most) wrong(path, std::string("is more than ") + other);
  }

  void wrong(const std::string& path, std::string detail) {
    std::string pointer = "/" + path;
    for (char& letter : pointer) letter = letter == '.' ? '/' : letter;
    problems_.push_back({.origin = loaded_.origin_of(path),
                         .pointer = std::move(pointer),
                         .detail = std::move(detail)});
  }

  const Loaded& loaded_;
  Problems& problems_;
};

}  // namespace

void check_together(const Loaded& loaded, Problems& problems) {
  Checker checker(loaded, problems);
  checker.server();
  checker.times();
  checker.approvals();
}

}  // namespace atl::config
