// The rules: data, read from a JSON file (share/policy/rules.json, or the operator's). Read-only
// once they are loaded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "base/result.hpp"
#include "policy/finding.hpp"

namespace atl::policy {

// What a rule looks at. kUse: a name however it is used, an import included. kCall: only where it
// is called. kCommand: a command of the shell. kBuiltin: found by code (base/shape of a program),
// which asks for the rule by its id.
BOOST_DEFINE_ENUM_CLASS(When, kUse, kCall, kCommand, kBuiltin)

struct Rule {
  std::string id;
  std::string language;  // python, javascript, bash
  Level level = Level::kSafe;
  When when = When::kUse;
  // "os.system"; "os.exec*"; "subprocess": also all below it; ".write_text": of whatever object.
  std::vector<std::string> names;
  std::string message;
  std::string example;
};
BOOST_DESCRIBE_STRUCT(Rule, (), (id, language, level, when, names, message, example))

class Rules {
 public:
  // kInvalidValue with the place of what is wrong.
  static Result<Rules> parse(std::string_view text);
  static const Rules& shipped();
  // The shipped rules with those of an operator's file: one with the language and the id of a
  // shipped rule takes its place, level safe turns it off, others come beside them. What is never
  // run, and what is not judged, cannot be changed. Errors as parse().
  static Result<Rules> over_shipped(std::string_view text);

  const std::vector<Rule>& all() const { return rules_; }
  // The strictest rule for a name that is used, or called.
  const Rule* match(std::string_view language, std::string_view name, bool called) const;
  const Rule* command(std::string_view name) const;
  // Of this language, or of any other when it has none.
  const Rule* by_id(std::string_view language, std::string_view id) const;

 private:
  std::vector<Rule> rules_;
};

// The text of share/policy/rules.json, compiled in.
std::string_view shipped_rules();

}  // namespace atl::policy
