#include <unistd.h>

#include "cli/core/bytes.hpp"
#include "cli/core/files.hpp"
#include "cli/core/secret_source.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/core/suggest.hpp"
#include "cli/core/table.hpp"
#include "cli/remote/remote.hpp"
#include "codec/base64.hpp"

namespace atl::cli {
namespace {

Result<std::string> value_for(const std::vector<std::string>& words) {
  if (words.size() == 3) return read_secret(words[2]);
  if (::isatty(STDIN_FILENO) == 1) {
    return fail(Code::kInvalidArgument,
                "secret set: pipe the value into it, or write @env:VAR or @file:PATH");
  }
  ATOLL_TRY(std::string text, read_stdin(kMaxSecret + 2, "the secret"));
  return secret_value(std::move(text));
}

RemoteTask set(Remote* remote) {
  const std::vector<std::string>& words = remote->options.words;
  if (words.size() < 2 || words.size() > 3) {
    co_return fail(Code::kInvalidArgument,
                   "secret set: give a name, and the value on stdin or as @env:VAR or @file:PATH");
  }
  ATOLL_CO_TRY(std::string value, value_for(words));
  // In a form that takes any bytes.
  bodies::PutSecretBody body{.value = {}, .value_b64 = codec::base64(value)};
  ATOLL_CO_TRY(bodies::SecretBody made, co_await remote->api.put_secret(words[1], std::move(body)));
  if (wants_document(*remote)) co_return show_document(*remote, made);
  co_return show(made.name + "\n");
}

RemoteTask list(Remote* remote) {
  if (remote->options.words.size() > 1) {
    co_return fail(Code::kInvalidArgument, "secret ls: takes options and no words");
  }
  ATOLL_CO_TRY(bodies::SecretListBody body, co_await remote->api.list_secrets());
  if (wants_document(*remote)) co_return show_document(*remote, body);
  Table table({"NAME", "CREATED", "UPDATED"});
  for (const bodies::SecretBody& one : body.secrets) {
    table.add({{one.name}, {one.created_at}, {one.updated_at}});
  }
  co_return show(table.text(use_color(remote->options.color, STDOUT_FILENO)));
}

RemoteTask remove(Remote* remote) {
  const std::vector<std::string>& words = remote->options.words;
  if (words.size() < 2) co_return fail(Code::kInvalidArgument, "secret rm: name the secrets");
  for (std::size_t i = 1; i < words.size(); ++i) {
    ATOLL_CO_CHECK(co_await remote->api.delete_secret(words[i]));
    show(words[i] + "\n");
  }
  co_return 0;
}

}  // namespace

RemoteTask manage_secrets(Remote* remote) {
  const std::vector<std::string>& words = remote->options.words;
  if (words.empty()) co_return fail(Code::kInvalidArgument, "secret: say set, ls or rm");
  if (words[0] == "set") co_return co_await set(remote);
  if (words[0] == "ls") co_return co_await list(remote);
  if (words[0] == "rm") co_return co_await remove(remote);
  Suggestion best(words[0]);
  for (std::string_view name : {"set", "ls", "rm"}) best.offer(name);
  std::string message = "secret: there is no \"" + words[0].substr(0, 80) + "\"";
  message +=
      best.empty() ? "; say set, ls or rm" : "; did you mean " + std::string(best.word()) + "?";
  co_return fail(Code::kInvalidArgument, std::move(message));
}

}  // namespace atl::cli
