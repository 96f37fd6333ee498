#include "cli/doctor/doctor.hpp"

#include <algorithm>

#include "cli/core/help.hpp"
#include "cli/core/json.hpp"

namespace atl::cli {
namespace {

struct Look {
  const char* sign;
  const char* color;
  const char* word;
};

Look look_of(Mark mark) {
  switch (mark) {
    case Mark::kOk: return {"✓", "\x1b[32m", "ok"};
    case Mark::kInfo: return {"·", "\x1b[2m", "info"};
    case Mark::kWarn: return {"!", "\x1b[33m", "warning"};
    case Mark::kFail: return {"✗", "\x1b[31m", "failed"};
  }
  return {"?", "", "failed"};
}

std::string painted(std::string_view text, const char* paint, bool color) {
  return color ? paint + std::string(text) + "\x1b[0m" : std::string(text);
}

std::string verdict(const Diagnosis& diagnosis) {
  auto count = [&](Mark mark) {
    return std::ranges::count(diagnosis.findings, mark, &Finding::mark);
  };
  if (!diagnosis.works()) {
    return "Native sandboxes do not work here: " + std::to_string(count(Mark::kFail)) +
           " to put right, marked ✗.";
  }
  long warnings = count(Mark::kWarn);
  if (warnings == 0) return "Native sandboxes work here, with every layer.";
  return "Native sandboxes work here; " + std::to_string(warnings) + " lost or weaker, marked !.";
}

}  // namespace

bool Diagnosis::works() const {
  return std::ranges::find(findings, Mark::kFail, &Finding::mark) == findings.end();
}

Diagnosis examine_host(const Result<void>& native, const LeftoverPlaces& places) {
  Diagnosis diagnosis;
  examine_user(diagnosis);
  examine_kernel(diagnosis);
  examine_namespaces(diagnosis);
  examine_cgroups(diagnosis);
  examine_programs(diagnosis);
  Finding backend{
      .group = "Programs", .name = "native backend", .detail = "says that it can run here"};
  if (!native) {
    backend.mark = Mark::kFail;
    backend.detail =
        std::string(code_name(native.error().code())) + ": " + native.error().message();
    backend.advice = "See the other lines marked ✗.";
  }
  diagnosis.findings.push_back(std::move(backend));
  examine_leftovers(diagnosis, places);
  examine_settings(diagnosis);
  return diagnosis;
}

std::string diagnosis_text(const Diagnosis& diagnosis, std::size_t width, bool color) {
  std::size_t widest = 0;
  for (const Finding& finding : diagnosis.findings) {
    widest = std::max(widest, columns(finding.name));
  }
  std::size_t column = widest + 6;
  std::string out;
  std::string_view group;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.group != group) {
      if (!out.empty()) out += '\n';
      group = finding.group;
      out += painted(group, "\x1b[1m", color) + '\n';
    }
    Look look = look_of(finding.mark);
    out += "  " + painted(look.sign, look.color, color) + ' ' + finding.name;
    out.append(column - 4 - columns(finding.name), ' ');
    out += wrap(finding.detail, width, column) + '\n';
    if (finding.advice.empty()) continue;
    out.append(column, ' ');
    out += "→ " + wrap(finding.advice, width, column + 2) + '\n';
  }
  return out + '\n' +
         painted(verdict(diagnosis), diagnosis.works() ? "\x1b[1;32m" : "\x1b[1;31m", color) + '\n';
}

std::string diagnosis_json(const Diagnosis& diagnosis, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object();
  json.key("native_works").boolean(diagnosis.works());
  json.key("checks").begin_array();
  for (const Finding& finding : diagnosis.findings) {
    json.begin_object();
    json.key("group").text(finding.group);
    json.key("name").text(finding.name);
    json.key("status").text(look_of(finding.mark).word);
    json.key("detail").text(finding.detail);
    json.key("advice");
    finding.advice.empty() ? json.null() : json.text(finding.advice);
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).finish();
}

}  // namespace atl::cli
