// atoll-client: what `atoll ps`, `atoll exec` and the others that talk to a server start.
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/program_folder.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/policy/policy_command.hpp"
#include "cli/remote/commands.hpp"

namespace {

// What `./dev up` leaves, as seen from build/release/bin.
std::string local_key_file() {
  atl::Result<std::string> folder = atl::program_folder();
  return folder ? *folder + "/../../up.key" : "";
}

}  // namespace

int main(int count, char** values) {
  ::signal(SIGPIPE, SIG_IGN);
  try {
    std::vector<std::string_view> arguments(values, values + count);
    atl::cli::Arguments words = atl::cli::Arguments(arguments).subspan(count > 0 ? 1 : 0);
    if (!words.empty() && words[0] == "policy") return atl::cli::policy_command(words.subspan(1));
    return atl::cli::remote_command(words, local_key_file());
  } catch (const std::exception& error) {
    return atl::cli::own_failure(atl::Error(atl::Code::kInternal, error.what()));
  }
}
