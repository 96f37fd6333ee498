// Previews on host names of their own, the tokens that open them, and hostile pages of a sandbox.
#include <gtest/gtest.h>

#include "api/common/host.hpp"
#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest::test {
namespace {

// Says what it was asked, and sends every field that a hostile page could use.
constexpr const char* kServer = R"PY(
import http.server, json
EVIL = [("Set-Cookie", "evil=1; Domain=localhost; Path=/"), ("Service-Worker-Allowed", "/"),
        ("Clear-Site-Data", '"*"'), ("Strict-Transport-Security", "max-age=99"),
        ("Access-Control-Allow-Origin", "*"), ("Content-Security-Policy", "img-src *")]
class H(http.server.BaseHTTPRequestHandler):
  protocol_version = "HTTP/1.1"
  def do_GET(self):
    if self.headers.get("Upgrade"):
      self.send_response(101)
      for one in EVIL + [("Connection", "Upgrade"), ("Upgrade", "echo")]: self.send_header(*one)
      self.end_headers()
      self.close_connection = True
      return
    text = json.dumps({"path": self.path, "headers": dict(self.headers)}).encode()
    self.send_response(307 if self.path == "/redirect" else 200)
    if self.path == "/redirect": self.send_header("Location", "/api/v1/keys")
    for one in EVIL: self.send_header(*one)
    self.send_header("Transfer-Encoding", "chunked")
    self.end_headers()
    self.wfile.write(b"%x\r\n%s\r\n0\r\nSet-Cookie: trailer=1\r\n\r\n" % (len(text), text))
  def do_POST(self):
    self.rfile.read(int(self.headers.get("Content-Length", 0)))
    self.do_GET()
  def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_address[1], flush=True)
s.serve_forever()
)PY";

struct Place {
  std::string session;
  std::string port;
  std::string host;  // of the preview
};

Task<Place> make_place(Api* api) {
  Place place;
  place.session = co_await api->make_session();
  place.port = co_await api->serve(place.session, kServer);
  place.host = preview_name(static_cast<std::uint16_t>(std::stoul(place.port)), place.session, "") +
               api->address.substr(api->address.rfind(':'));
  co_return place;
}

// Not held against the document of the API, which is not asked.
Task<Reply> open(Api* api, Method method, std::string target, http::Headers headers) {
  http::ClientRequest request{
      .method = method, .target = std::move(target), .headers = std::move(headers)};
  auto response = co_await api->client->send(std::move(request));
  if (!response) {
    ADD_FAILURE() << response.error().to_string();
    co_return Reply();
  }
  Reply reply{response->status(), response->headers(), ""};
  if (reply.status == 101) co_return reply;
  auto text = co_await response->read_body(1u << 20);
  if (text) reply.body = std::move(*text);
  co_return reply;
}

Task<Reply> open(Api* api, const Place* place, http::Headers more = {}, std::string target = "/") {
  more.set("Host", place->host);
  return open(api, Method::kGet, std::move(target), std::move(more));
}

std::string token_path(const Place& place, const std::string& port) {
  return "/api/v1/sessions/" + place.session + "/ports/" + port + "/token";
}

// "name=value" of what an answer sets.
std::string cookie_of(const Reply& reply) {
  std::string set(reply.headers.get("set-cookie"));
  return set.substr(0, set.find(';'));
}

http::Headers key_header(const control::NewKey& key) { return {{"X-API-Key", key.secret}}; }

Task<void> api_origin(Api* api) {
  Place place = co_await make_place(api);
  std::string proxy = "/api/v1/sessions/" + place.session + "/proxy/" + place.port;
  Reply got = co_await api->call(Method::kGet, proxy + "/x");
  EXPECT_EQ(got.at({"path"}), "/x") << got.body;
  EXPECT_EQ(got.headers.count("content-security-policy"), 2u);
  EXPECT_EQ(got.headers.get("content-security-policy"), "img-src *");
  bool sandboxed = false;
  for (const auto& [name, value] : got.headers) {
    sandboxed = sandboxed || value ==
                                 "sandbox allow-downloads allow-forms allow-modals "
                                 "allow-popups allow-scripts";
  }
  EXPECT_TRUE(sandboxed);
  Reply upgraded = co_await open(api, Method::kGet, proxy + "/x",
                                 {{"Connection", "Upgrade"}, {"Upgrade", "echo"}});
  EXPECT_EQ(upgraded.status, 101) << upgraded.body;
  for (const char* gone : {"set-cookie", "service-worker-allowed", "clear-site-data",
                           "strict-transport-security", "access-control-allow-origin"}) {
    EXPECT_FALSE(got.headers.has(gone)) << gone;
    EXPECT_FALSE(upgraded.headers.has(gone)) << gone;
  }
  Reply redirect = co_await api->call(Method::kGet, proxy + "/redirect");
  EXPECT_EQ(redirect.status, 307);
  EXPECT_EQ(redirect.headers.get("location"), proxy + "/api/v1/keys");
}

Task<void> without_keys(Api* api) {
  Place place = co_await make_place(api);
  for (const char* target : {"/", "/api/v1/sessions", "/health", "/metrics?a=%20"}) {
    Reply got = co_await open(api, &place, {{"Authorization", "Bearer of-the-app"}}, target);
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(got.at({"path"}), target) << got.body;
    EXPECT_EQ(got.at({"headers", "Host"}), place.host);
    EXPECT_EQ(got.at({"headers", "Authorization"}), "Bearer of-the-app");
    EXPECT_EQ(got.headers.get("set-cookie"), "evil=1; Path=/");
    EXPECT_EQ(got.headers.get("content-security-policy"), "img-src *");
    EXPECT_EQ(got.headers.count("content-security-policy"), 1u);
    EXPECT_FALSE(got.headers.has("clear-site-data"));
  }
  Reply upgraded = co_await open(api, &place, {{"Connection", "Upgrade"}, {"Upgrade", "echo"}});
  EXPECT_EQ(upgraded.status, 101);
  EXPECT_EQ(upgraded.headers.get("set-cookie"), "evil=1; Path=/");
  Reply upper = co_await open(api, Method::kGet, "/health",
                              {{"Host", place.port + "-" + place.session + ".LOCALHOST."}});
  EXPECT_EQ(upper.at({"path"}), "/health") << upper.body;
}

Task<void> pages_of_others(Api* api) {
  Place place = co_await make_place(api);
  for (std::string origin : {"http://evil.example", "null", "http://localhost:1"}) {
    Reply got = co_await open(api, &place, {{"Origin", origin}});
    EXPECT_EQ(got.status, 403) << got.body;
    EXPECT_EQ(got.at({"code"}), "foreign_origin");
  }
  Reply own = co_await open(api, &place, {{"Origin", "http://" + place.host}});
  EXPECT_EQ(own.status, 200) << own.body;
  std::string sibling = "http://" + preview_name(1, place.session, "") + ":5";
  Reply other_port = co_await open(api, &place, {{"Origin", sibling}});
  EXPECT_EQ(other_port.status, 200) << other_port.body;
  // The page's own origin is a stranger to the API.
  Reply api_call = co_await api->call(Method::kPost, "/api/v1/sessions", "{}",
                                      {{"Origin", "http://" + place.host}});
  EXPECT_EQ(api_call.at({"code"}), "foreign_origin") << api_call.body;
}

Task<void> expect_refused(Api* api, std::string host, int status, std::string code) {
  Reply got = co_await open(api, Method::kGet, "/api/v1/sessions", {{"Host", host}});
  EXPECT_EQ(got.status, status) << host << got.body;
  EXPECT_EQ(got.at({"code"}), code) << host;
}

Task<void> no_previews(Api* api) {
  std::string id = co_await api->make_session();
  for (std::string name : {"0-" + id, "70000-" + id, std::string("80-a-b"), "x.80-" + id}) {
    co_await expect_refused(api, name + ".localhost", 404, "no_such_preview");
    co_await expect_refused(api, name + ".p.example", 404, "no_such_preview");
  }
  for (std::string port : {"49983", "49999"}) {
    co_await expect_refused(api, port + "-" + id + ".localhost:1", 404, "port_reserved");
    Reply token = co_await api->call(Method::kPost, token_path({.session = id}, port));
    EXPECT_EQ(token.at({"code"}), "port_reserved") << token.body;
  }
  co_await expect_refused(api, "1-" + id + ".localhost", 502, "bad_gateway");
  co_await expect_refused(api, "1-" + id.substr(1) + ".localhost", 404, "session_not_found");
  co_await expect_refused(api, "1-" + id + ".p.example", 401, "unauthenticated");
  co_await expect_refused(api, "1-" + id + ".q.example", 403, "foreign_host");
}

// A name that is not loopback needs a token, also without keys.
Task<void> domain(Api* api) {
  Place place = co_await make_place(api);
  Reply made = co_await api->call(Method::kPost, token_path(place, place.port), R"({"ttl":60})");
  EXPECT_EQ(made.status, 201) << made.body;
  std::string name = place.port + "-" + place.session;
  std::string port = api->address.substr(api->address.rfind(':'));
  std::string query = "/?atoll_token=" + made.at({"token"});
  EXPECT_EQ(made.at({"urls", "0"}), "http://" + name + ".p.example" + port + query);
  EXPECT_EQ(made.at({"urls", "1"}), "http://" + name + ".localhost" + port + query);
  Place there{place.session, place.port, name + ".p.example"};
  Reply opened = co_await open(api, &there, {}, query);
  EXPECT_EQ(opened.status, 302) << opened.body;
  Reply shown = co_await open(api, &there, {{"Cookie", cookie_of(opened)}});
  EXPECT_EQ(shown.status, 200) << shown.body;
}

Task<void> token_to_cookie(Api* api) {
  auto key = co_await api->control->keys().create({}, {});
  api->headers = key_header(*key);
  Place place = co_await make_place(api);
  Reply closed = co_await open(api, &place);
  EXPECT_EQ(closed.at({"code"}), "unauthenticated") << closed.body;
  Reply made = co_await api->call(Method::kPost, token_path(place, place.port));
  EXPECT_EQ(made.status, 201) << made.body;
  std::string token = made.at({"token"});
  Reply opened = co_await open(api, &place, {}, "/a?x=1&atoll_token=" + token + "&y");
  EXPECT_EQ(opened.status, 302) << opened.body;
  EXPECT_EQ(opened.headers.get("location"), "/a?x=1&y");
  std::string set(opened.headers.get("set-cookie"));
  EXPECT_TRUE(set.starts_with("atoll_preview=")) << set;
  EXPECT_TRUE(set.ends_with("; Path=/; HttpOnly; SameSite=Lax")) << set;
  EXPECT_EQ(set.find(token), std::string::npos);
  std::string cookie = cookie_of(opened);
  http::Headers both{{"Cookie", "mine=1; " + cookie + "; more=2"},
                     {"Authorization", "Bearer " + key->secret}};
  Reply shown = co_await open(api, &place, both, "/a");
  EXPECT_EQ(shown.status, 200) << shown.body;
  EXPECT_EQ(shown.at({"headers", "Cookie"}), "mine=1; more=2");
  EXPECT_EQ(shown.body.find(key->secret), std::string::npos) << "the key reached the sandbox";
  Reply by_key = co_await open(api, &place, key_header(*key), "/b");
  EXPECT_EQ(by_key.at({"path"}), "/b") << by_key.body;
  EXPECT_EQ(by_key.body.find(key->secret), std::string::npos) << "the key reached the sandbox";
  Reply foreign = co_await open(api, &place, {{"Cookie", cookie}, {"Origin", "http://x.example"}});
  EXPECT_EQ(foreign.at({"code"}), "foreign_origin") << foreign.body;
  // A program need not follow redirects.
  Reply posted = co_await open(api, Method::kPost, "/c?atoll_token=" + token,
                               {{"Host", place.host}, {"Content-Length", "0"}});
  EXPECT_EQ(posted.at({"path"}), "/c") << posted.body;
  Reply elsewhere = co_await open(api, &place, {}, "//evil.example/?atoll_token=" + token);
  EXPECT_EQ(elsewhere.headers.get("location"), "/.//evil.example/");
  Reply tls =
      co_await open(api, &place, {{"X-Forwarded-Proto", "https"}}, "/?atoll_token=" + token);
  EXPECT_TRUE(tls.headers.get("set-cookie").ends_with("; Secure"));
  EXPECT_TRUE(tls.headers.get("set-cookie").starts_with("__Host-"));
}

Task<void> bad_tokens(Api* api) {
  auto key = co_await api->control->keys().create({}, {});
  api->headers = key_header(*key);
  Place place = co_await make_place(api);
  Place other{place.session, "1", "1-" + place.session + ".localhost"};
  Reply made = co_await api->call(Method::kPost, token_path(place, place.port));
  std::string token = made.at({"token"});
  Reply opened = co_await open(api, &place, {}, "/?atoll_token=" + token);
  std::string cookie = cookie_of(opened);
  std::string value = cookie.substr(cookie.find('=') + 1);
  for (auto [where, bad] : {std::pair{&place, std::string("x")},
                            {&place, token + "0"},
                            {&place, std::string()},
                            {&place, value},
                            {&other, token}}) {
    Reply refused = co_await open(api, where, {}, "/?atoll_token=" + bad);
    EXPECT_EQ(refused.status, 401) << refused.body;
    EXPECT_EQ(refused.at({"code"}), "preview_token_invalid") << bad;
  }
  for (auto [where, bad] : {std::pair{&place, token}, {&other, value}}) {
    Reply refused = co_await open(api, where, {{"Cookie", "atoll_preview=" + bad}});
    EXPECT_EQ(refused.at({"code"}), "preview_token_invalid") << refused.body;
  }
  // A page of a sibling host can add cookies, and locks nobody out.
  Reply tossed = co_await open(api, &place, {{"Cookie", "atoll_preview=x; " + cookie}});
  EXPECT_EQ(tossed.status, 200) << tossed.body;
  Reply quick = co_await api->call(Method::kPost, token_path(place, place.port), R"({"ttl":1})");
  std::string target = "/?atoll_token=" + quick.at({"token"});
  Reply late = co_await open(api, &place, {}, target);
  while (late.status == 302) late = co_await open(api, &place, {}, target);
  EXPECT_EQ(late.status, 401);
  EXPECT_EQ(late.at({"code"}), "preview_token_expired") << late.body;
  EXPECT_TRUE(co_await api->control->keys().revoke({}, key->key.id));
  Reply revoked = co_await open(api, &place, {{"Cookie", cookie}});
  EXPECT_EQ(revoked.at({"code"}), "preview_token_invalid") << revoked.body;
}

Task<void> tenants_and_roles(Api* api) {
  auto key = co_await api->control->keys().create({}, {});
  auto stranger = co_await api->control->keys().create({}, {.tenant = "other"});
  auto reader = co_await api->control->keys().create({}, {.role = model::Role::kReadOnly});
  api->headers = key_header(*key);
  Place place = co_await make_place(api);
  std::string path = token_path(place, place.port);
  Reply refused = co_await api->call(Method::kPost, path, {}, key_header(*stranger));
  EXPECT_EQ(refused.at({"code"}), "session_not_found") << refused.body;
  refused = co_await open(api, &place, key_header(*stranger));
  EXPECT_EQ(refused.at({"code"}), "session_not_found") << refused.body;
  refused = co_await api->call(Method::kPost, path, {}, key_header(*reader));
  EXPECT_EQ(refused.at({"code"}), "forbidden") << refused.body;
  refused = co_await open(api, &place, key_header(*reader));
  EXPECT_EQ(refused.at({"code"}), "forbidden") << refused.body;
  for (const char* body : {R"({"ttl":0})", R"({"ttl":3601})"}) {
    refused = co_await api->call(Method::kPost, path, body);
    EXPECT_EQ(refused.at({"at"}), "/ttl") << refused.body;
  }
  refused = co_await api->call(Method::kPost, token_path(place, "65536"));
  EXPECT_EQ(refused.status, 400) << refused.body;
  refused = co_await api->call(Method::kPost, token_path({.session = "none"}, "80"));
  EXPECT_EQ(refused.at({"code"}), "session_not_found") << refused.body;
}

// covers: C43
TEST(ProxyRoutes, PagesAreWalledOffFromTheApi) { with_api(api_origin); }
// covers: C42
TEST(PreviewRoutes, AHostIsThePortAndNeverTheApi) { with_api(without_keys); }
// covers: C41
TEST(PreviewRoutes, PagesOfOthersAreRefused) { with_api(pages_of_others); }
TEST(PreviewRoutes, NamesThatAreNoPreviews) {
  with_api(no_previews, {.preview_domain = "p.example"});
}
// covers: createPreviewToken, C42
TEST(PreviewRoutes, AConfiguredDomainNeedsAToken) {
  with_api(domain, {.preview_domain = "p.example"});
}
// covers: createPreviewToken, C42
TEST(PreviewRoutes, ATokenBecomesACookie) { with_api(token_to_cookie, {.keys = true}); }
// covers: C42
TEST(PreviewRoutes, BadTokensAreRefused) { with_api(bad_tokens, {.keys = true}); }
// covers: C42
TEST(PreviewRoutes, OfOtherTenantsAreNotThere) { with_api(tenants_and_roles, {.keys = true}); }

}  // namespace
}  // namespace atl::api::rest::test
