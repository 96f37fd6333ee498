#include "cli/core/document.hpp"
#include "cli/core/files.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/remote/remote.hpp"
#include "client/names.hpp"

namespace atl::cli {
namespace {

constexpr std::uint64_t kMaxDocument = 1u << 20;

}  // namespace

RemoteTask manage_network(Remote* remote) {
  const RemoteOptions& options = remote->options;
  if (options.words.size() != 1) {
    co_return fail(Code::kInvalidArgument, "network: name one session");
  }
  std::string document;
  const std::string& file = options.set_file;
  if (!file.empty()) {
    ATOLL_CO_TRY(document, file == "-" ? read_stdin(kMaxDocument, "the policy")
                                       : read_file(file, kMaxDocument, file));
  }
  ATOLL_CO_TRY(SessionId id, co_await client::find_session(&remote->api, options.words[0]));
  bodies::SessionNetworkBody network;
  if (file.empty()) {
    ATOLL_CO_TRY(network, co_await remote->api.get_network(id));
  } else {
    ATOLL_CO_TRY(network, co_await remote->api.replace_network(id, std::move(document)));
  }
  // A policy has too much in it for a table.
  co_return wants_document(*remote) ? show_document(*remote, network)
                                    : show(yaml_text(codec::to_json(network)));
}

}  // namespace atl::cli
