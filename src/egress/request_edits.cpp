#include "egress/request_edits.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/field_error.hpp"
#include "codec/base64.hpp"
#include "egress/cleanse.hpp"
#include "egress/host_name.hpp"

namespace atl::egress {
namespace {

std::unexpected<Error> wrong(const std::string& pointer, const char* message) {
  return fail(field_error(Code::kInvalidValue, pointer, message));
}

// Values by the names of their secrets, each sealed once.
class Sealer {
 public:
  Sealer(const Secrets& secrets, std::vector<SealedText>& sealed)
      : secrets_(secrets), sealed_(sealed) {}

  Result<std::size_t> index_of(const std::string& secret, const std::string& pointer) {
    if (auto found = places_.find(secret); found != places_.end()) return found->second;
    auto given = secrets_.values.find(secret);
    if (given == secrets_.values.end())
      return wrong(pointer, "the value of this secret is missing");
    std::optional<std::string> value = codec::from_base64(given->second);
    if (!value) return wrong(pointer, "the value of this secret is not base64");
    bool fits = fits_header(*value);
    std::optional<SealedText> text = fits ? SealedText::of(*value) : std::nullopt;
    cleanse(*value);
    if (!fits) return wrong(pointer, "its value has control characters, which no header can carry");
    if (!text) return fail(Code::kResourceExhausted, "the memory for secrets is full");
    sealed_.push_back(std::move(*text));
    return places_[secret] = sealed_.size() - 1;
  }

 private:
  const Secrets& secrets_;
  std::vector<SealedText>& sealed_;
  std::map<std::string, std::size_t> places_;
};

// "*" before "*.example.org" before "*.a.example.org" before names: the last one decides.
std::size_t exactness(std::string_view pattern) {
  return pattern.starts_with('*') ? pattern.size() : SIZE_MAX;
}

}  // namespace

Result<RequestEdits> RequestEdits::make(const Policy& policy, const Secrets& secrets) {
  RequestEdits edits;
  Sealer sealer(secrets, edits.sealed_);
  for (const HeaderRule& rule : policy.headers()) {
    Header header{rule.pattern, rule.name, rule.value};
    if (rule.is_secret) {
      std::string pointer = "/headers/" + rule.pattern + "/" + rule.name + "/secret";
      ATOLL_TRY(std::size_t index, sealer.index_of(rule.value, pointer));
      header.value = index;
    }
    edits.headers_.push_back(std::move(header));
  }
  std::ranges::sort(edits.headers_, {}, [](const Header& one) {
    return std::tuple(exactness(one.pattern), one.pattern, one.name);
  });
  for (std::size_t i = 0; i < policy.secrets().size(); ++i) {
    const SecretRule& rule = policy.secrets()[i];
    std::string pointer = "/secrets/" + std::to_string(i);
    auto given = secrets.placeholders.find(rule.env);
    if (given == secrets.placeholders.end() || !is_placeholder(given->second)) {
      return wrong(pointer + "/env", "the placeholder of this variable is missing");
    }
    ATOLL_TRY(std::size_t index, sealer.index_of(rule.secret, pointer + "/secret"));
    edits.uses_.push_back({rule.env, given->second, index, rule.hosts});
  }
  return edits;
}

std::string_view RequestEdits::variable_of(std::string_view placeholder) const {
  auto found = std::ranges::find(uses_, placeholder, &Use::placeholder);
  return found == uses_.end() ? std::string_view() : found->env;
}

Edited RequestEdits::edit(HttpHead& head, std::string_view name, bool intercepted, bool tls) const {
  Edited out;
  SecretValues values;
  for (const Use& use : uses_) {
    bool here = intercepted && std::ranges::any_of(use.hosts, [&](const std::string& pattern) {
                  return matches(pattern, name);
                });
    if (here) values[use.placeholder] = sealed_[use.value].view();
  }
  if (auto found = find_placeholder(head.target); !found.empty()) {
    out.in_target = true;
    out.placeholder = found;
  }
  std::size_t room = kMaxEdited;
  for (auto& [key, value] : head.fields) {
    Replaced replaced = replace_placeholders(key, value, values, room);
    if (replaced.left && !std::exchange(out.left, true)) out.placeholder = replaced.first_left;
    if (!replaced.changed && !replaced.too_large) continue;
    if (!tls) out.in_clear = true;
    out.too_large = replaced.too_large;
    if (out.in_clear || out.too_large) return out;
    room -= std::min(room, replaced.value.size());
    value = std::move(replaced.value);
  }
  for (const Header& header : headers_) {
    if (!intercepted || !matches(header.pattern, name)) continue;
    const auto* text = std::get_if<std::string>(&header.value);
    if (text == nullptr && !tls) {
      out.in_clear = true;
      return out;
    }
    head.remove(header.name);
    head.fields.emplace_back(
        header.name,
        text != nullptr ? *text : std::string(sealed_[std::get<std::size_t>(header.value)].view()));
  }
  return out;
}

}  // namespace atl::egress
