// What a client of E2B said of a sandbox that a session has no place for: kept in its metadata, as
// {"e2b": {…}}, and told again. Pure.
#pragma once

#include <optional>
#include <string>

#include "model/session.hpp"

namespace atl::api::e2b {

struct SandboxNotes {
  std::string template_name;  // as the client called it
  bool auto_pause = false;
  bool auto_resume = false;
  std::optional<bool> allow_internet;
};

SandboxNotes notes_of(const model::Session& session);
std::string to_metadata(const SandboxNotes& notes);

}  // namespace atl::api::e2b
