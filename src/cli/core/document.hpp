// JSON documents as text: JSON, indented for people, and YAML.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "cli/core/json.hpp"

namespace atl::cli {

// Objects and lists of objects over several lines where the writer is a pretty one, lists of plain
// values on one.
void write_value(JsonWriter& json, const boost::json::value& value);

std::string json_text(const boost::json::value& value, bool pretty);
// A number, a word or a string on one line, as YAML has it; 0.5 and not 5E-1.
std::string scalar_text(const boost::json::value& value);
// Strings that could be read as anything else stand in double quotes.
std::string yaml_text(const boost::json::value& value);

}  // namespace atl::cli
