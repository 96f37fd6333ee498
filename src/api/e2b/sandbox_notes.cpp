#include "api/e2b/sandbox_notes.hpp"

#include <boost/json/object.hpp>

#include "base/utf8.hpp"
#include "codec/json.hpp"

namespace atl::api::e2b {

namespace {

using boost::json::object;
using boost::json::value;

bool flag_of(const object& notes, std::string_view name) {
  const value* found = notes.if_contains(name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

}  // namespace

SandboxNotes notes_of(const model::Session& session) {
  SandboxNotes notes;
  auto parsed = codec::parse(session.metadata_json);
  const object* all = parsed ? parsed->if_object() : nullptr;
  const value* own = all != nullptr ? all->if_contains("e2b") : nullptr;
  const object* members = own != nullptr ? own->if_object() : nullptr;
  if (members == nullptr) return notes;
  if (const value* name = members->if_contains("template"); name != nullptr && name->is_string()) {
    notes.template_name = std::string(name->get_string());
  }
  notes.auto_pause = flag_of(*members, "auto_pause");
  notes.auto_resume = flag_of(*members, "auto_resume");
  if (members->contains("allow_internet")) {
    notes.allow_internet = flag_of(*members, "allow_internet");
  }
  return notes;
}

std::string to_metadata(const SandboxNotes& notes) {
  object own{{"template", to_utf8(notes.template_name)},
             {"auto_pause", notes.auto_pause},
             {"auto_resume", notes.auto_resume}};
  if (notes.allow_internet) own["allow_internet"] = *notes.allow_internet;
  return codec::serialize(object{{"e2b", std::move(own)}});
}

}  // namespace atl::api::e2b
