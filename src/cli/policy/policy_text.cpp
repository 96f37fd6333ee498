#include "cli/policy/policy_text.hpp"

#include <set>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/core/console.hpp"
#include "codec/json.hpp"

namespace atl::cli {
namespace {

using policy::Level;

std::string_view color_of(Level level) {
  switch (level) {
    case Level::kSafe: return "\033[32m";
    case Level::kLow: return "\033[36m";
    case Level::kMedium: return "\033[33m";
    case Level::kHigh: return "\033[31m";
    case Level::kCritical: return "\033[1;31m";
  }
  return "";
}

std::string colored(Level level, bool color) {
  std::string name = codec::name_of(level);
  return color ? std::string(color_of(level)) + name + "\033[0m" : name;
}

// SARIF knows three.
std::string_view sarif_level(Level level) {
  if (level >= Level::kHigh) return "error";
  return level == Level::kMedium ? "warning" : "note";
}

}  // namespace

std::string text_of(const policy::Judgement& judgement, bool color) {
  std::string text;
  for (const policy::Finding& finding : judgement.findings) {
    text += std::to_string(finding.line) + ":" + std::to_string(finding.column) + " " +
            colored(finding.level, color) + " " + finding.rule + ": " + finding.message + ": " +
            printable(finding.snippet) + "\n";
  }
  return text + "level: " + colored(judgement.level, color) + "\n";
}

boost::json::value sarif_of(const policy::Judgement& judgement, const std::string& file) {
  boost::json::array results;
  boost::json::array rules;
  std::set<std::string> told;
  for (const policy::Finding& finding : judgement.findings) {
    boost::json::object region{{"startLine", finding.line}, {"startColumn", finding.column}};
    boost::json::object place{{"artifactLocation", {{"uri", file}}}, {"region", std::move(region)}};
    boost::json::object result{{"ruleId", finding.rule},
                               {"level", sarif_level(finding.level)},
                               {"message", {{"text", finding.message}}}};
    result["locations"] = boost::json::array{{{"physicalLocation", std::move(place)}}};
    results.emplace_back(std::move(result));
    if (!told.insert(finding.rule).second) continue;
    rules.emplace_back(boost::json::object{{"id", finding.rule},
                                           {"shortDescription", {{"text", finding.message}}}});
  }
  boost::json::object driver{{"name", "atoll policy"}, {"rules", std::move(rules)}};
  boost::json::object run;
  run["tool"] = boost::json::object{{"driver", std::move(driver)}};
  run["results"] = std::move(results);
  boost::json::object log{{"version", "2.1.0"},
                          {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}};
  log["runs"] = boost::json::array{std::move(run)};
  return log;
}

}  // namespace atl::cli
