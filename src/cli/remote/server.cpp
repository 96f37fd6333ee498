#include "cli/remote/server.hpp"

#include <algorithm>

#include "cli/core/files.hpp"

namespace atl::cli {
namespace {

constexpr std::uint64_t kMaxKeyFile = 1024;

std::string first_line(std::string text) {
  text.resize(std::min(text.find_first_of("\r\n"), text.size()));
  return text;
}

std::string given(const char* variable) { return variable != nullptr ? variable : ""; }

}  // namespace

bool is_this_machine(std::string_view url) {
  if (url.starts_with("unix://")) return true;
  std::size_t start = url.find("://");
  if (start == std::string_view::npos) return false;
  std::string_view host = url.substr(start + 3);
  host = host.substr(0, host.starts_with('[') ? host.find(']') : host.find_first_of(":/"));
  return host == "127.0.0.1" || host == "localhost" || host == "[::1";
}

Result<client::Address> choose_server(const RemoteOptions& options, const ServerSources& sources) {
  client::Address address{.ca_file = options.ca_file};
  bool by_flag = !options.server.empty();
  std::string said = by_flag ? options.server : given(sources.server);
  if (!said.empty()) address.url = said;
  bool known = address.url.starts_with("http://") || address.url.starts_with("https://") ||
               address.url.starts_with("unix:///");
  if (!known) {
    return fail(Code::kInvalidArgument,
                std::string(by_flag ? "--server " : "ATOLL_SERVER ") + said.substr(0, 100) +
                    ": write http://HOST:PORT, https://HOST or unix:///PATH");
  }
  address.key = options.key.empty() ? given(sources.key) : options.key;
  if (address.key.empty() && is_this_machine(address.url) && !sources.key_file.empty()) {
    Result<std::string> kept = read_file(sources.key_file, kMaxKeyFile, "the key");
    if (kept) address.key = first_line(std::move(*kept));
  }
  bool clean = std::ranges::all_of(address.key, [](char c) { return c > ' ' && c < 0x7f; });
  if (!clean) return fail(Code::kInvalidArgument, "a key has no blanks and no special characters");
  return address;
}

}  // namespace atl::cli
