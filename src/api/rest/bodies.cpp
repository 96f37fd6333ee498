#include "api/rest/bodies.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "api/common/limits.hpp"
#include "codec/json.hpp"

namespace atl::api::rest {

Answer<control::OpenContextRequest> to_request(OpenContextBody body) {
  ATOLL_CHECK(check_text(body.language, "/language", kMaxName));
  ATOLL_CHECK(check_text(body.cwd, "/cwd", kMaxPath));
  ATOLL_CHECK(check_text(body.working_dir, "/working_dir", kMaxPath));
  ATOLL_CHECK(check_environment(body.env, "/env"));
  take_given(body.working_dir, std::move(body.cwd));
  return control::OpenContextRequest{.language = std::move(body.language).value_or(""),
                                     .cwd = std::move(body.working_dir).value_or(""),
                                     .env = std::move(body.env).value_or(StringMap())};
}

Answer<control::Keys::Wish> to_request(CreateKeyBody body) {
  ATOLL_CHECK(check_text(body.tenant, "/tenant", kMaxName));
  ATOLL_CHECK(check_text(body.name, "/name", kMaxName));
  control::Keys::Wish wish;
  if (body.tenant) wish.tenant = std::move(*body.tenant);
  if (body.name) wish.name = std::move(*body.name);
  if (body.role) {
    auto role = role_from_name(std::move(*body.role));
    if (!role)
      return refuse_value("/role", "must be one of owner, admin, approver, user, read-only");
    wish.role = *role;
  }
  if (body.policy) wish.policy = *body.policy;
  return wish;
}

Answer<std::string> to_bytes(StdinBody body) {
  ATOLL_TRY(std::optional<std::string> bytes,
            text_or_base64(std::move(body.data), std::move(body.data_b64), "/data"));
  return std::move(bytes).value_or("");
}

Answer<int> to_signal(const SignalBody& body) {
  static const std::map<std::string_view, int> kNames{
      {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},   {"KILL", SIGKILL},
      {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},   {"STOP", SIGSTOP},
      {"CONT", SIGCONT}, {"TSTP", SIGTSTP}, {"WINCH", SIGWINCH}, {"ABRT", SIGABRT}};
  if (const auto* number = body.signal.if_int64(); number != nullptr) {
    if (*number >= 1 && *number <= 64) return static_cast<int>(*number);
  } else if (const auto* text = body.signal.if_string(); text != nullptr) {
    std::string_view name(text->data(), text->size());
    if (name.starts_with("SIG")) name.remove_prefix(3);
    if (auto found = kNames.find(name); found != kNames.end()) return found->second;
  }
  return refuse_value("/signal", "must be a number from 1 to 64, or a name such as TERM");
}

std::string role_name(model::Role role) {
  std::string name = codec::name_of(role);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::optional<model::Role> role_from_name(std::string name) {
  std::ranges::replace(name, '_', '-');
  for (model::Role role : model::kRoles) {
    if (role_name(role) == name) return role;
  }
  return std::nullopt;
}

}  // namespace atl::api::rest
