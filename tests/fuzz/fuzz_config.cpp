// Any text as a configuration file and as variables: up to the first zero byte the file, then
// names and values in turn. What is taken must hold when it is written down and read again; what is
// refused must say why, and print nothing but text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json.hpp"
#include "config/checks.hpp"
#include "config/listing.hpp"

namespace {

using namespace atl::config;  // NOLINT: a fuzz target is one page

void demand(bool fact) {
  if (!fact) std::abort();
}

std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> out;
  for (;;) {
    std::size_t end = text.find('\0');
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

void refused(const Problems& problems) {
  demand(!problems.empty());
  for (const Problem& problem : problems) {
    demand(!problem.detail.empty());
    demand(std::ranges::none_of(problem.pointer + problem.detail,
                                [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
    bool in_file = problem.origin.kind == Origin::Kind::kFile;
    demand(in_file || problem.origin.line == 0);
  }
}

void taken(const Loaded& loaded) {
  std::vector<Listed> first = list_values(loaded);
  std::string text = atl::codec::serialize(as_document(first));
  std::expected<Loaded, Problems> again = load({.file = FileText{.name = "f", .text = text}});
  demand(again.has_value());
  std::vector<Listed> second = list_values(*again);
  demand(std::ranges::equal(first, second, [](const Listed& a, const Listed& b) {
    return a.path == b.path && a.value == b.value;
  }));
  const Config& config = loaded.config;
  demand(config.server.listen.empty() || split_listen(config.server.listen).has_value());
  demand(config.auth.enabled || config.server.listen.empty() ||
         is_loopback(split_listen(config.server.listen)->host));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> parts = pieces({reinterpret_cast<const char*>(data), size});
  Sources sources{.file = FileText{.name = "f", .text = parts[0]}};
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) {
    sources.environment.push_back({.name = "ATOLL_" + parts[i], .value = parts[i + 1]});
    sources.overrides.push_back({.path = parts[i], .value = parts[i + 1], .flag = "--set"});
  }
  std::expected<Loaded, Problems> loaded = load(sources);
  loaded ? taken(*loaded) : refused(loaded.error());
  return 0;
}
