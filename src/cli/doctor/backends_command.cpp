#include "cli/doctor/backends_command.hpp"

#include <cstdio>

#include "cli/core/help.hpp"
#include "cli/core/json.hpp"
#include "cli/core/table.hpp"

namespace atl::cli {
namespace {

using sandbox::BackendEntry;
using sandbox::Cap;

Table overview(const sandbox::Registry& registry) {
  Table table({"NAME", "STATUS", "WALLS", "HERE"});
  for (const BackendEntry& entry : registry.list()) {
    Result<void> here = entry.probe();
    table.add({{entry.name},
               {std::string(sandbox::maturity_name(entry.status))},
               {std::string(sandbox::isolation_name(entry.isolation))},
               here ? Cell{"yes", kGreen} : Cell{"no: " + here.error().message(), kYellow}});
  }
  return table;
}

// One line for each thing that any backend can do.
std::string abilities(const sandbox::Registry& registry, bool color) {
  std::vector<std::string_view> headings{"CAN"};
  for (const BackendEntry& entry : registry.list()) headings.push_back(entry.name);
  Table table(headings);
  for (Cap cap : sandbox::kAllCaps) {
    std::vector<Cell> row{{std::string(sandbox::cap_name(cap))}};
    for (const BackendEntry& entry : registry.list()) {
      row.push_back(entry.has(cap) ? Cell{"yes", kGreen} : Cell{"no", kYellow});
    }
    table.add(std::move(row));
  }
  return table.text(color);
}

}  // namespace

std::string backends_text(const sandbox::Registry& registry, bool color) {
  std::string text = overview(registry).text(color) + "\n" + abilities(registry, color);
  for (const BackendEntry& entry : registry.list()) {
    if (!entry.lacks.empty()) text += "\n" + entry.name + " has\n";
    for (const auto& [cap, why] : entry.lacks) {
      text += "  no " + std::string(sandbox::cap_name(cap)) + ": " + why + "\n";
    }
  }
  return text;
}

std::string backends_json(const sandbox::Registry& registry, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object().key("backends").begin_array();
  for (const BackendEntry& entry : registry.list()) {
    Result<void> here = entry.probe();
    json.begin_object();
    json.key("name").text(entry.name);
    json.key("status").text(sandbox::maturity_name(entry.status));
    json.key("isolation").text(sandbox::isolation_name(entry.isolation));
    json.key("capabilities").begin_array();
    for (Cap cap : entry.caps) json.text(sandbox::cap_name(cap));
    json.end_array();
    json.key("lacks").begin_object();
    for (const auto& [cap, why] : entry.lacks) json.key(sandbox::cap_name(cap)).text(why);
    json.end_object();
    json.key("available").boolean(here.has_value());
    json.key("reason");
    here ? json.null() : json.text(here.error().message());
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).finish();
}

Result<void> install_backend(const sandbox::Registry& registry, std::string_view name) {
  ATOLL_TRY(const BackendEntry* entry, registry.get(name));
  if (!entry->install) {
    return fail(Code::kInvalidArgument, "there is nothing to install for " + entry->name);
  }
  return entry->install(
      [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
}

}  // namespace atl::cli
