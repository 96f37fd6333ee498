#include "api/common/id_name.hpp"

#include <array>
#include <utility>

namespace atl::api {

std::string_view id_name(std::string_view path) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{{
      {"executions", "execution_id"},
      {"keys", "key_id"},
      {"result", "execution_id"},
      {"results", "execution_id"},
      {"runtimes", "runtime_node"},
      {"snapshots", "snapshot_id"},
      {"templates", "template_id"},
  }};
  constexpr std::string_view kBase = "/api/v1/";
  if (path.starts_with(kBase)) {
    path.remove_prefix(kBase.size());
    std::string_view collection = path.substr(0, path.find('/'));
    for (const auto& [name, id] : kNames) {
      if (collection == name) return id;
    }
  }
  return "session_id";
}

}  // namespace atl::api
