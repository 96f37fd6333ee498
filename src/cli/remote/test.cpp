// `atoll test`: a file of code against cases or a test file.
#include <unistd.h>

#include <boost/json/array.hpp>

#include "cli/core/document.hpp"
#include "cli/core/files.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/core/table.hpp"
#include "cli/remote/remote.hpp"
#include "client/names.hpp"

namespace atl::cli {
namespace {

constexpr std::uint64_t kMaxFile = 8u << 20;
constexpr int kExitFailed = 1;

std::string language_of(const std::string& file) {
  std::size_t dot = file.rfind('.');
  std::string suffix = dot == std::string::npos ? "" : file.substr(dot);
  if (suffix == ".py") return "python";
  if (suffix == ".js" || suffix == ".mjs" || suffix == ".cjs") return "javascript";
  if (suffix == ".sh") return "bash";
  return suffix.empty() ? "python" : suffix.substr(1);
}

Result<bodies::TestBody> request_of(const RemoteOptions& options) {
  const std::string& file = options.words[0];
  bodies::TestBody body;
  ATOLL_TRY(body.code, file == "-" ? read_stdin(kMaxFile, "the code on stdin")
                                   : read_file(file, kMaxFile, file));
  body.language = options.language.empty() ? language_of(file) : options.language;
  body.coverage = options.coverage;
  if (options.timeout) body.timeout = static_cast<double>(options.timeout->count()) / 1000;
  if (options.test_file.empty() == options.cases_file.empty()) {
    return fail(Code::kInvalidArgument, "test: give --with TESTFILE or --cases FILE");
  }
  if (!options.test_file.empty()) {
    ATOLL_TRY(body.test_code, read_file(options.test_file, kMaxFile, options.test_file));
    return body;
  }
  ATOLL_TRY(std::string text, read_file(options.cases_file, kMaxFile, options.cases_file));
  auto cases = codec::decode<std::vector<bodies::TestCaseBody>>(text);
  if (!cases) {
    return fail(Code::kInvalidArgument,
                options.cases_file + ": " + cases.error().to_error().message());
  }
  body.cases = std::move(*cases);
  return body;
}

std::string text_of(const bodies::TestResultBody& result, bool color) {
  Table table({"OUTCOME", "TEST", "MS", "MESSAGE"});
  for (const bodies::TestVerdictBody& one : result.tests) {
    table.add({{codec::name_of(one.outcome)},
               {printable(one.name)},
               {std::to_string(one.duration_ms)},
               {printable(one.message.substr(0, one.message.find('\n')))}});
  }
  std::string text = table.text(color) + std::to_string(result.passed) + " passed, " +
                     std::to_string(result.failed) + " failed, " + std::to_string(result.skipped) +
                     " skipped\n";
  if (result.coverage) {
    text += "coverage: " + std::to_string(result.coverage->covered) + " of " +
            std::to_string(result.coverage->lines) + " lines\n";
  }
  return text;
}

RemoteTask run_in(Remote* remote, SessionId id, bodies::TestBody body) {
  ATOLL_CO_TRY(bodies::TestResultBody result,
               co_await remote->api.test_code(std::move(id), std::move(body)));
  if (wants_document(*remote)) {
    show_document(*remote, result);
  } else {
    show(text_of(result, use_color(remote->options.color, STDOUT_FILENO)));
  }
  co_return result.all_passed ? 0 : kExitFailed;
}

// Of the language, where no session is named.
std::string template_for(const RemoteOptions& options, const std::string& language) {
  if (!options.template_id.empty()) return options.template_id;
  if (language == "javascript") return "node-default";
  return language == "python" ? "python-default" : "shell-default";
}

}  // namespace

RemoteTask test_code(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (options.words.size() != 1) {
    co_return fail(Code::kInvalidArgument, "test: give one file, or - for stdin");
  }
  ATOLL_CO_TRY(bodies::TestBody body, request_of(options));
  if (!options.session.empty()) {
    ATOLL_CO_TRY(SessionId id, co_await client::find_session(&remote->api, options.session));
    co_return co_await run_in(remote, std::move(id), std::move(body));
  }
  bodies::CreateBody wish;
  wish.template_id = template_for(options, *body.language);
  ATOLL_CO_TRY(bodies::SessionBody made,
               co_await remote->api.create_session(std::move(wish), true));
  Result<int> status = co_await run_in(remote, SessionId(made.id), std::move(body));
  (void)co_await remote->api.delete_session(SessionId(made.id));
  co_return status;
}

}  // namespace atl::cli
