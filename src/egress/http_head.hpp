// The head of an HTTP/1 request, read strictly: what two servers could read differently is refused.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::egress {

struct HttpHead {
  std::string method;
  std::string target;
  bool is_1_1 = true;
  std::vector<std::pair<std::string, std::string>> fields;  // values without blanks around them

  // Of any case; nullptr when it is missing.
  const std::string* find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  void remove(std::string_view name);
  // As it is forwarded: one blank, CRLF.
  std::string to_string() const;
};

inline constexpr std::size_t kMaxHead = 64 * 1024;

// The first byte after the head; npos while the head is not complete. Heads end with CRLF CRLF
// only.
std::size_t end_of_head(std::string_view bytes);
// `bytes` up to end_of_head(). nullopt: malformed.
std::optional<HttpHead> parse_head(std::string_view bytes);
// One header line without its CRLF.
std::optional<std::pair<std::string, std::string>> parse_field(std::string_view line);

// How long the request's body is.
struct HttpBody {
  bool chunked = false;
  std::uint64_t length = 0;
};
// nullopt: two lengths are given, or one that is malformed.
std::optional<HttpBody> body_of(const HttpHead& head);

// Whether Host, and the authority of an absolute target with that scheme ("http"), say exactly this
// name and port.
bool is_for(const HttpHead& head, std::string_view scheme, std::string_view name,
            std::uint16_t port);
// Removes what is for one hop only: headers that Connection names, and from Connection all but
// close, keep-alive and upgrade. False: it names a header that the message cannot do without.
bool remove_hop_by_hop(HttpHead& head);
// What Host says, if that is a name; for messages.
std::string host_of(const HttpHead& head);

bool equal_ignoring_case(std::string_view one, std::string_view other);

}  // namespace atl::egress
