#include "api/common/preview_link.hpp"

#include <string_view>
#include <utility>

#include "api/common/host.hpp"
#include "api/common/preview_cookie.hpp"

namespace atl::api {

namespace {

std::string url_of(std::string_view scheme, std::string_view name, std::string_view port,
                   std::string_view token) {
  std::string url(scheme);
  url.append("://").append(name);
  if (!port.empty()) url.append(":").append(port);
  return url.append("/?").append(kTokenParameter).append("=").append(token);
}

// With the scheme and the port that the request came by. Below localhost the port is the server's
// own, unless the client itself says how it reaches loopback (a tunnel).
std::vector<std::string> urls_of(const PreviewWish& wish, std::string_view token) {
  HostName host = parse_host(wish.host).value_or(HostName());
  std::string_view scheme = wish.https ? "https" : "http";
  std::vector<std::string> urls;
  if (!wish.preview_domain.empty()) {
    urls.push_back(url_of(scheme, preview_name(wish.port, wish.session.str(), wish.preview_domain),
                          host.port, token));
  }
  std::string_view own = wish.own;
  std::size_t begin = own.find("://");
  if (!is_loopback_name(host.name) && begin != std::string_view::npos) {
    scheme = own.substr(0, begin);
    host = parse_host(own.substr(begin + 3)).value_or(HostName());
  }
  urls.push_back(url_of(scheme, preview_name(wish.port, wish.session.str(), ""), host.port, token));
  return urls;
}

}  // namespace

model::Time preview_end(const control::Control& control, std::chrono::seconds time) {
  return control.clock().now() + time;
}

std::string sign_preview(control::Control& control, const control::Caller& caller,
                         const SessionId& session, std::uint16_t port,
                         control::PreviewTokens::Kind kind, model::Time expires) {
  control::PreviewGrant grant{
      .session = session.str(), .port = port, .tenant = caller.tenant, .key_id = caller.key_id};
  return control.preview_tokens().sign(kind, grant, expires);
}

PreviewLinks make_preview_links(control::Control& control, const control::Caller& caller,
                                const PreviewWish& wish) {
  PreviewLinks links;
  links.expires = preview_end(control, wish.ttl);
  links.token = sign_preview(control, caller, wish.session, wish.port,
                             control::PreviewTokens::Kind::kLink, links.expires);
  links.urls = urls_of(wish, links.token);
  control.audit().soon(
      control::audit_row(caller, {.action = model::AuditAction::kPreviewTokenCreated,
                                  .session_id = wish.session,
                                  .detail = "port " + std::to_string(wish.port)}));
  return links;
}

}  // namespace atl::api
