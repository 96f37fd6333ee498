// The values that one source sets: checked against the rules, each with the place it came from.
#pragma once

#include <map>
#include <string>

#include <boost/json/value.hpp>

#include "config/document.hpp"
#include "config/problem.hpp"
#include "config/schema.hpp"

namespace atl::config {

struct Setting {
  boost::json::value value;  // as codec reads it
  Origin origin;
};

class Layer {
 public:
  // Takes what `element` says about `node` and what is below it. What is wrong becomes a problem
  // and is left out; the rest is taken. `source`: its line and column are filled in for files.
  void add(const Node& node, const Element& element, const Origin& source,
           const std::string& pointer);

  // Text from a variable or a flag: itself where a string is asked for, otherwise JSON.
  void add_text(const Node& node, const std::string& text, const Origin& source);

  // The first kMaxProblems are kept: whoever has more of them has another file than he thinks.
  static constexpr std::size_t kMaxProblems = 100;
  void complain(Origin origin, std::string pointer, std::string detail);

  // By path.
  const std::map<std::string, Setting>& settings() const { return settings_; }
  const Problems& problems() const { return problems_; }

 private:
  void add_members(const Node& node, const Element& element, const Origin& source,
                   const std::string& pointer);

  std::map<std::string, Setting> settings_;
  Problems problems_;
};

// "/sandbox/network" for "sandbox.network".
std::string pointer_of(const Node& node);

}  // namespace atl::config
