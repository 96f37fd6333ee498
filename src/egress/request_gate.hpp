// Applied to every request before it is forwarded: the policy's edits, and a search for
// placeholders that no value replaces. The current policy counts, not the one at the start of the
// connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "egress/http_requests.hpp"
#include "egress/placeholders.hpp"
#include "egress/protocol.hpp"

namespace atl::egress {

class Sandbox;

class RequestGate final : public RequestWatcher {
 public:
  RequestGate(Sandbox& sandbox, std::string name, std::uint16_t port, bool tls)
      : sandbox_(sandbox), name_(std::move(name)), port_(port), tls_(tls) {}

  std::optional<HttpRefusal> on_request(HttpHead& head) override;
  void on_body(std::string_view bytes) override;

  // From now on every request is answered with this.
  void close_with(HttpRefusal refusal) { closed_ = refusal; }
  // Why the last one was refused, where HttpRefusal does not say it.
  std::optional<Reason> reason() const { return reason_; }

 private:
  void tell(Reason reason, std::string_view placeholder);

  Sandbox& sandbox_;
  std::string name_;
  std::uint16_t port_;
  bool tls_;
  std::optional<HttpRefusal> closed_;
  std::optional<Reason> reason_;
  PlaceholderFinder bodies_;
  bool told_of_body_ = false;
};

}  // namespace atl::egress
