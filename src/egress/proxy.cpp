#include "egress/proxy.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "codec/base64.hpp"
#include "egress/address.hpp"

namespace atl::egress {

namespace {

constexpr char kVersion = 5, kPasswordVersion = 1;
constexpr char kNoPassword = 0, kWithPassword = 2;
constexpr char kConnect = 1, kIpv4 = 1, kName = 3, kIpv6 = 4;
constexpr std::size_t kMaxText = 255;  // of SOCKS' names, users and passwords

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

bool read_user(std::string_view text, Proxy& proxy) {
  std::size_t colon = text.find(':');
  std::optional<std::string> user = decoded(text.substr(0, colon));
  std::optional<std::string> password =
      decoded(colon == text.npos ? std::string_view() : text.substr(colon + 1));
  if (!user || !password || user->empty()) return false;
  if (user->size() > kMaxText || password->size() > kMaxText) return false;
  proxy.user = std::move(*user);
  proxy.password = std::move(*password);
  return true;
}

std::string_view socks_error(char code) {
  switch (code) {
    case 2: return "its rules do not allow it";
    case 3: return "the network is unreachable";
    case 4: return "the host is unreachable";
    case 5: return "the host refused the connection";
    case 6: return "it took too long";
    default: return "it cannot connect";
  }
}

}  // namespace

std::optional<Proxy> Proxy::parse(std::string_view url) {
  Proxy proxy;
  if (url.starts_with("socks5://")) {
    url.remove_prefix(sizeof "socks5://" - 1);
  } else if (url.starts_with("http://")) {
    proxy.kind = Kind::kHttp;
    url.remove_prefix(sizeof "http://" - 1);
  } else {
    return std::nullopt;
  }
  if (std::size_t at = url.rfind('@'); at != url.npos) {
    if (!read_user(url.substr(0, at), proxy)) return std::nullopt;
    url.remove_prefix(at + 1);
  }
  std::size_t colon = url.rfind(':');
  if (colon == url.npos) return std::nullopt;
  std::string_view host = url.substr(0, colon), port = url.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), proxy.port);
  bool legal = error == std::errc() && end == port.data() + port.size() && proxy.port != 0;
  if (!legal || host.empty() || host.size() > kMaxText) return std::nullopt;
  proxy.host = host;
  return proxy;
}

ProxyHandshake::ProxyHandshake(const Proxy& proxy, std::string host, std::uint16_t port)
    : proxy_(proxy), host_(std::move(host)), port_(port) {
  if (proxy_.kind == Proxy::Kind::kHttp) {
    to_say_ = http_request();
  } else if (proxy_.user.empty()) {
    to_say_ = {kVersion, 1, kNoPassword};
  } else {
    to_say_ = {kVersion, 2, kNoPassword, kWithPassword};
  }
}

std::string ProxyHandshake::say() { return std::exchange(to_say_, {}); }

std::size_t ProxyHandshake::hear(std::string_view bytes) {
  if (state_ != State::kTalking) return 0;
  return proxy_.kind == Proxy::Kind::kHttp ? hear_http(bytes) : hear_socks(bytes);
}

void ProxyHandshake::refuse(std::string why) {
  state_ = State::kRefused;
  failure_ = "the proxy: " + std::move(why);
}

std::string ProxyHandshake::http_request() const {
  std::string host =
      Address::parse(host_) && host_.find(':') != host_.npos ? "[" + host_ + "]" : host_;
  std::string target = host + ":" + std::to_string(port_);
  std::string head = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
  if (!proxy_.user.empty()) {
    head +=
        "Proxy-Authorization: Basic " + codec::base64(proxy_.user + ":" + proxy_.password) + "\r\n";
  }
  return head + "\r\n";
}

std::size_t ProxyHandshake::hear_http(std::string_view bytes) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t before = heard_.size();
  heard_ += bytes;
  std::size_t end = heard_.find(kEnd);
  if (end == heard_.npos) {
    if (heard_.size() > kMaxAnswer) refuse("its answer is too long");
    return bytes.size();
  }
  // "HTTP/1.1 200 Connection established"
  bool is_http = heard_.starts_with("HTTP/1.") && heard_.size() > 12 && heard_[8] == ' ';
  if (is_http && heard_[9] == '2') {
    state_ = State::kOpen;
  } else {
    refuse(is_http ? "status " + heard_.substr(9, 3) : "it does not speak HTTP");
  }
  return end + kEnd.size() - before;
}

std::string ProxyHandshake::socks_request() const {
  std::string request{kVersion, kConnect, 0};
  if (std::optional<Address> address = Address::parse(host_)) {
    bool is_v4 = address->is_v4();
    request += is_v4 ? kIpv4 : kIpv6;
    for (std::size_t i = is_v4 ? 12 : 0; i < 16; ++i) {
      request += static_cast<char>(address->bytes[i]);
    }
  } else {
    request += kName;
    request += static_cast<char>(host_.size());
    request += host_;
  }
  request += static_cast<char>(port_ >> 8);
  request += static_cast<char>(port_);
  return request;
}

std::size_t ProxyHandshake::hear_socks(std::string_view bytes) {
  std::size_t used = 0;
  while (state_ == State::kTalking && used < bytes.size()) {
    std::size_t more = std::min(wanted_ - heard_.size(), bytes.size() - used);
    heard_ += bytes.substr(used, more);
    used += more;
    if (heard_.size() == wanted_) socks_step();
  }
  return used;
}

// heard_ is as long as the step's answer.
void ProxyHandshake::socks_step() {
  std::string answer = std::exchange(heard_, {});
  switch (step_) {
    case Step::kMethod:
      if (answer[0] != kVersion) return refuse("it does not speak SOCKS 5");
      if (answer[1] == kNoPassword) {
        to_say_ = socks_request();
        step_ = Step::kReply;
        wanted_ = 5;
      } else if (answer[1] == kWithPassword && !proxy_.user.empty()) {
        to_say_ = {kPasswordVersion, static_cast<char>(proxy_.user.size())};
        to_say_ += proxy_.user;
        to_say_ += static_cast<char>(proxy_.password.size());
        to_say_ += proxy_.password;
        step_ = Step::kPassword;
      } else {
        refuse("it wants a password");
      }
      return;
    case Step::kPassword:
      if (answer[1] != 0) return refuse("it does not accept the password");
      to_say_ = socks_request();
      step_ = Step::kReply;
      wanted_ = 5;
      return;
    case Step::kReply: {  // version, code, 0, kind of address, its first byte
      if (answer[0] != kVersion) return refuse("it does not speak SOCKS 5");
      if (answer[1] != 0) return refuse(std::string(socks_error(answer[1])));
      std::size_t length = static_cast<unsigned char>(answer[4]);
      std::size_t rest = answer[3] == kIpv4 ? 3u : answer[3] == kIpv6 ? 15u : length;
      step_ = Step::kBoundAddress;
      wanted_ = rest + 2;
      return;
    }
    case Step::kBoundAddress: state_ = State::kOpen; return;
  }
}

}  // namespace atl::egress
