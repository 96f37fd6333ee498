#include "cli/backends_command.hpp"

#include <array>

#include "cli/help.hpp"
#include "cli/json.hpp"

namespace atl::cli {
namespace {

using sandbox::BackendEntry;

std::string caps_text(const BackendEntry& entry) {
  std::string text;
  for (sandbox::Cap cap : entry.caps) {
    if (!text.empty()) text += ' ';
    text += sandbox::cap_name(cap);
  }
  return text;
}

using Row = std::array<std::string, 4>;

}  // namespace

std::string backends_text(const sandbox::Registry& registry, bool color) {
  std::vector<Row> rows{{"NAME", "STATUS", "WALLS", "HERE"}};
  for (const BackendEntry& entry : registry.list()) {
    Result<void> here = entry.probe();
    rows.push_back({entry.name, std::string(sandbox::maturity_name(entry.status)),
                    std::string(sandbox::isolation_name(entry.isolation)),
                    here ? "yes" : "no: " + here.error().message()});
  }
  std::array<std::size_t, 4> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    bool heading = &row == &rows.front();
    if (heading && color) out += "\x1b[1m";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out += row[i];
      out.append(widths[i] + 2 - columns(row[i]), ' ');
    }
    out += row.back();
    if (heading && color) out += "\x1b[0m";
    out += '\n';
    if (!heading) {
      out +=
          "  can: " + caps_text(registry.list()[static_cast<std::size_t>(&row - rows.data()) - 1]) +
          "\n";
    }
  }
  return out;
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
    for (sandbox::Cap cap : entry.caps) json.text(sandbox::cap_name(cap));
    json.end_array();
    json.key("available").boolean(here.has_value());
    json.key("reason");
    here ? json.null() : json.text(here.error().message());
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).finish();
}

}  // namespace atl::cli
