// How `atoll doctor` speaks of leftovers.
#include <algorithm>

#include "cli/core/json.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/doctor/leftovers.hpp"

namespace atl::cli {
namespace {

constexpr const char* kGroup = "Left behind";

const char* kind_name(Leftover::Kind kind) {
  switch (kind) {
    case Leftover::Kind::kRunFolder: return "run_folder";
    case Leftover::Kind::kSlot: return "slot";
    case Leftover::Kind::kSocket: return "socket";
  }
  return "";
}

// "3 x", with the first names.
std::string listed(const std::vector<Leftover>& all, Leftover::Kind kind, const char* what) {
  constexpr std::size_t kShown = 3;
  std::size_t count = 0;
  std::string names;
  for (const Leftover& one : all) {
    if (one.kind != kind) continue;
    if (count++ < kShown) names += (names.empty() ? "" : ", ") + one.path;
  }
  if (count == 0) return "none";
  return std::to_string(count) + " " + what + ": " + names + (count > kShown ? ", …" : "");
}

void report(Diagnosis& diagnosis, const char* name, std::string detail) {
  bool none = detail == "none";
  diagnosis.findings.push_back({.group = kGroup,
                                .name = name,
                                .mark = none ? Mark::kOk : Mark::kInfo,
                                .detail = std::move(detail),
                                .advice = none ? "" : "`atoll doctor --clean` removes them."});
}

}  // namespace

void examine_leftovers(Diagnosis& diagnosis, const LeftoverPlaces& places) {
  std::vector<Leftover> all = sweep_leftovers(places, false);
  report(diagnosis, "run folders",
         listed(all, Leftover::Kind::kRunFolder, "of servers that are gone"));
  report(diagnosis, "sockets", listed(all, Leftover::Kind::kSocket, "that nobody listens at"));
  unsigned slots = 0, groups = 0;
  for (const Leftover& one : all) {
    if (one.kind != Leftover::Kind::kSlot) continue;
    ++slots;
    groups += one.cgroups;
  }
  report(diagnosis, "unused slots",
         slots == 0 ? "none"
                    : std::to_string(slots) + ", kept for the next sandboxes, with " +
                          std::to_string(groups) + " directories of control groups");
}

std::string leftovers_text(const std::vector<Leftover>& removed) {
  std::string text;
  for (const Leftover& one : removed) {
    text += one.problem.empty() ? "removed " : "cannot remove ";
    text += std::string(one.kind == Leftover::Kind::kSlot ? "what slot " : "") + one.path;
    if (one.kind == Leftover::Kind::kSlot) text += " kept";
    text += one.problem.empty() ? "\n" : ": " + one.problem + "\n";
  }
  return text.empty() ? "There is nothing to remove.\n" : text;
}

std::string leftovers_json(const std::vector<Leftover>& removed, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object().key("leftovers").begin_array();
  for (const Leftover& one : removed) {
    json.begin_object();
    json.key("kind").text(kind_name(one.kind));
    json.key("path").text(one.path);
    json.key("cgroups").unsigned_number(one.cgroups);
    json.key("removed").boolean(one.problem.empty());
    json.key("reason");
    one.problem.empty() ? json.null() : json.text(one.problem);
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).finish();
}

}  // namespace atl::cli
