#include "api/common/dialect.hpp"

#include <algorithm>

namespace atl::api {

const Dialect* dialect_of(const Dialects& dialects, const http::Request& request,
                          const std::optional<PreviewHost>& preview) {
  for (const DialectPtr& dialect : dialects) {
    if (dialect->owns(request, preview)) return dialect.get();
  }
  return nullptr;
}

std::string_view bare_image_name(std::string_view name) {
  name = name.substr(0, name.find('@'));
  std::size_t slash = name.find('/');
  std::string_view first = name.substr(0, slash);
  bool has_host =
      slash != name.npos && (first.find_first_of(".:") != first.npos || first == "localhost");
  if (has_host) name.remove_prefix(slash + 1);
  std::size_t last = name.rfind('/');
  std::size_t tag = name.find(':', last == name.npos ? 0 : last);
  return name.substr(0, tag);
}

Result<std::string> template_for(const DialectOptions& options, control::Control& control,
                                 const control::Caller& caller, const std::string& name,
                                 std::span<const std::string_view> known) {
  std::string bare(bare_image_name(name));
  for (const std::string& one : {name, bare}) {
    if (auto found = options.images.find(one); found != options.images.end()) return found->second;
  }
  if (control.templates().find(caller, name)) return name;
  bool is_known = std::ranges::any_of(known, [&](std::string_view one) {
    return bare == one || (bare.size() > one.size() && bare.ends_with(one) &&
                           bare[bare.size() - one.size() - 1] == '/');
  });
  if (is_known) return options.default_template;
  return fail(Code::kNotFound, "there is no image or template `" + name.substr(0, 200) +
                                   "`; dialects.*.images of the server's configuration can name a "
                                   "template for it");
}

}  // namespace atl::api
