// A judgement for people and for code hosts. Pure.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "policy/finding.hpp"

namespace atl::cli {

// One line a finding, then the level.
std::string text_of(const policy::Judgement& judgement, bool color);
// SARIF 2.1.0, of one file.
boost::json::value sarif_of(const policy::Judgement& judgement, const std::string& file);

}  // namespace atl::cli
