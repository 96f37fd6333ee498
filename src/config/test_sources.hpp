// Short ways to load a configuration, for tests.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "config/load.hpp"

namespace atl::config {

inline Sources from_file(std::string text) {
  return {.file = FileText{.name = "f.json", .text = std::move(text)}};
}

inline std::string texts(const Problems& problems) {
  std::string out;
  for (const Problem& problem : problems) out += (out.empty() ? "" : "\n") + problem.to_string();
  return out;
}

// What is wrong with it; empty: nothing.
inline std::string problems_of(const Sources& sources) {
  std::expected<Loaded, Problems> loaded = load(sources);
  return loaded ? "" : texts(loaded.error());
}
inline std::string problem_of(std::string text) { return problems_of(from_file(std::move(text))); }

inline Loaded load_or_die(const Sources& sources) {
  std::expected<Loaded, Problems> loaded = load(sources);
  EXPECT_TRUE(loaded.has_value()) << texts(loaded.error());
  return loaded ? *loaded : Loaded();
}

}  // namespace atl::config
