// What requests to certain hosts carry that the sandbox never sees: headers that a policy sets, and
// values in the place of placeholders. Compiled from a policy and its secrets; read for each
// request.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "egress/http_head.hpp"
#include "egress/placeholders.hpp"
#include "egress/policy.hpp"
#include "egress/protocol.hpp"
#include "egress/sealed_text.hpp"

namespace atl::egress {

// The outcome of one request.
struct Edited {
  bool left = false;        // a placeholder stays in a header: it is for other hosts
  bool in_target = false;   // and one in the URL
  bool in_clear = false;    // a secret belongs in it, and there is no TLS: it must not go on
  bool too_large = false;   // with the values it is: it must not go on
  std::string placeholder;  // the first that stays
};

class RequestEdits {
 public:
  static constexpr std::size_t kMaxEdited = 256 * 1024;  // what values may add to one request

  RequestEdits() = default;
  // kInvalidValue with a pointer into the policy: a secret without value or placeholder, or with a
  // value that no header can carry.
  static Result<RequestEdits> make(const Policy& policy, const Secrets& secrets);

  // Whether any host has any.
  bool empty() const { return headers_.empty() && uses_.empty(); }
  bool has_placeholders() const { return !uses_.empty(); }
  // The variable with the placeholder; empty: this sandbox has no such placeholder.
  std::string_view variable_of(std::string_view placeholder) const;

  // `head` as it goes on to `name`. With `intercepted`, edits for that name apply; otherwise
  // placeholders are only looked for. Header names that the client named twice are all looked at.
  Edited edit(HttpHead& head, std::string_view name, bool intercepted, bool tls) const;

 private:
  struct Header {
    std::string pattern, name;
    std::variant<std::string, std::size_t> value;  // text, or an index of sealed_
  };
  struct Use {
    std::string env, placeholder;
    std::size_t value;  // index of sealed_
    std::vector<std::string> hosts;
  };

  std::vector<SealedText> sealed_;
  std::vector<Header> headers_;  // more exact patterns later
  std::vector<Use> uses_;
};

}  // namespace atl::egress
