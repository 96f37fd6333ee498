// `atoll doctor`: looks at the host with the eyes of the caller and says what works, what is lost,
// and what to do. Changes nothing: what must be tried is tried in a child that is gone afterwards.
// Only --clean removes what dead servers left (leftovers.hpp).
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/doctor/leftovers.hpp"

namespace atl::cli {

enum class Mark { kOk, kInfo, kWarn, kFail };

struct Finding {
  std::string group;
  std::string name;
  Mark mark = Mark::kOk;
  std::string detail;
  std::string advice{};  // what to do; empty when there is nothing to do
};

struct Diagnosis {
  std::vector<Finding> findings;
  bool works() const;  // nothing is marked kFail
};

// `native`: the native backend's own word on whether it can run here.
Diagnosis examine_host(const Result<void>& native, const LeftoverPlaces& places);

std::string diagnosis_text(const Diagnosis& diagnosis, std::size_t width, bool color);
std::string diagnosis_json(const Diagnosis& diagnosis, bool pretty);

// The chapters of the examination, one file each.
void examine_user(Diagnosis& diagnosis);
void examine_kernel(Diagnosis& diagnosis);
void examine_namespaces(Diagnosis& diagnosis);
void examine_cgroups(Diagnosis& diagnosis);
void examine_programs(Diagnosis& diagnosis);
void examine_settings(Diagnosis& diagnosis);
void examine_leftovers(Diagnosis& diagnosis, const LeftoverPlaces& places);

}  // namespace atl::cli
