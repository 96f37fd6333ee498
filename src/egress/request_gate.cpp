#include "egress/request_gate.hpp"

#include "egress/sandbox.hpp"

namespace atl::egress {

std::optional<HttpRefusal> RequestGate::on_request(HttpHead& head) {
  if (closed_) return closed_;
  const RequestEdits& edits = sandbox_.edits();
  if (edits.empty()) return std::nullopt;
  Edited edited = edits.edit(head, name_, sandbox_.policy().intercepts(name_), tls_);
  if (edited.left) tell(Reason::kSecretElsewhere, edited.placeholder);
  if (edited.in_target) tell(Reason::kSecretNotInHeader, edited.placeholder);
  if (edited.in_clear) {
    reason_ = Reason::kSecretInClear;
    return HttpRefusal::kDenied;
  }
  if (edited.too_large) return HttpRefusal::kTooLarge;
  return std::nullopt;
}

void RequestGate::on_body(std::string_view bytes) {
  if (told_of_body_ || !sandbox_.edits().has_placeholders()) return;
  std::string found = bodies_.take(bytes);
  if (found.empty()) return;
  told_of_body_ = true;  // once for a connection
  tell(Reason::kSecretNotInHeader, found);
}

void RequestGate::tell(Reason reason, std::string_view placeholder) {
  std::string_view variable = sandbox_.edits().variable_of(placeholder);
  sandbox_.noticed(name_, port_, reason,
                   variable.empty() ? "a placeholder of nobody here" : std::string(variable));
}

}  // namespace atl::egress
