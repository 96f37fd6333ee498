#include "cli/config/config_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/core/document.hpp"
#include "cli/core/help.hpp"
#include "cli/core/json.hpp"
#include "codec/json.hpp"

namespace atl::cli {
namespace {

using config::Listed;
using config::Problem;

// A value that is wider moves what stands behind it, instead of every line.
constexpr std::size_t kWidestColumn = 50;

// Names of files come from outside.
std::string printable(std::string text) {
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) letter = '?';
  }
  return text;
}

JsonWriter& write_file(JsonWriter& json, const std::string& file) {
  json.key("file");
  return file.empty() ? json.null() : json.text(file);
}

std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  while (!path.empty()) {
    steps.emplace_back(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(path.size(), steps.back().size() + 1));
  }
  return steps;
}

}  // namespace

std::string values_text(std::span<const Listed> values, bool color) {
  using Row = std::array<std::string, 3>;
  std::vector<Row> rows{{"FIELD", "VALUE", "ORIGIN"}};
  for (const Listed& listed : values) {
    rows.push_back({listed.path, codec::serialize(listed.value), printable(listed.origin)});
  }
  std::array<std::size_t, 2> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], std::min(columns(row[i]), kWidestColumn));
    }
  }
  std::string out;
  for (const Row& row : rows) {
    bool heading = &row == &rows.front();
    if (heading && color) out += "\x1b[1m";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out += row[i];
      out.append(std::max(widths[i], columns(row[i])) + 2 - columns(row[i]), ' ');
    }
    bool set = !heading && row.back() != "default";
    if (set && color) out += "\x1b[32m";
    out += row.back();
    if ((heading || set) && color) out += "\x1b[0m";
    out += '\n';
  }
  return out;
}

std::string values_json(std::span<const Listed> values, const std::string& file, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object();
  write_file(json, file);
  json.key("config");
  write_value(json, config::as_document(values));
  json.key("origins").begin_object();
  for (const Listed& listed : values) json.key(listed.path).text(listed.origin);
  json.end_object().end_object();
  return std::move(json).finish();
}

std::string values_yaml(std::span<const Listed> values) {
  std::string out;
  std::vector<std::string> open;  // the blocks that the last line stood in
  for (const Listed& listed : values) {
    std::vector<std::string> steps = steps_of(listed.path);
    auto [same, ignored] = std::ranges::mismatch(open, steps);
    open.erase(same, open.end());
    while (open.size() + 1 < steps.size()) {
      out.append(open.size() * 2, ' ');
      out += steps[open.size()] + ":\n";
      open.push_back(steps[open.size()]);
    }
    out.append(open.size() * 2, ' ');
    out += steps.back() + ": " + codec::serialize(listed.value) + "  # " +
           printable(listed.origin) + "\n";
  }
  return out;
}

std::string problems_text(const config::Problems& problems) {
  std::string out;
  for (const Problem& problem : problems) out += printable(problem.to_string()) + "\n";
  return out;
}

std::string problems_json(const config::Problems& problems, const std::string& file, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object().key("ok").boolean(problems.empty());
  write_file(json, file);
  json.key("problems").begin_array();
  for (const Problem& problem : problems) {
    bool known = problem.origin.kind != config::Origin::Kind::kDefault;
    json.begin_object();
    json.key("origin").text(known ? problem.origin.name : "default");
    json.key("line");
    problem.origin.line == 0 ? json.null() : json.unsigned_number(problem.origin.line);
    json.key("column");
    problem.origin.column == 0 ? json.null() : json.unsigned_number(problem.origin.column);
    json.key("pointer").text(problem.pointer);
    json.key("detail").text(problem.detail);
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).finish();
}

}  // namespace atl::cli
