// POST …/files/mkdir, links, move and chmod: what changes files without their content.
#include <utility>

#include "api/common/limits.hpp"
#include "api/rest/files.hpp"
#include "api/rest/views.hpp"
#include "base/safe_names.hpp"

namespace atl::api::rest {

namespace {

using bodies::ChangeFileModeBody;
using bodies::MakeFolderBody;
using bodies::MakeLinksBody;
using bodies::MoveFileBody;

Answer<void> check_path(const std::optional<std::string>& path, const std::string& at) {
  if (!path) return refuse_field(at, "is required");
  return check_text(path, at, kMaxPath);
}

Answer<std::uint32_t> mode_at(std::string_view text) {
  std::optional<std::uint32_t> mode = parse_mode(text);
  if (!mode) return refuse_value("/mode", "must be octal, as in 0644, up to 0777");
  return *mode;
}

// A link may lead anywhere below the folder that all of them go into, and nowhere else.
Answer<std::vector<model::FileLink>> links_of(std::vector<bodies::LinkBody> bodies) {
  if (bodies.size() > kMaxLinks) return refuse_value("/links", "must be at most 1000");
  std::vector<model::FileLink> links;
  for (bodies::LinkBody& link : bodies) {
    std::string at = "/links/" + std::to_string(links.size());
    if (link.name.size() > kMaxPath || !is_safe_name(link.name)) {
      return refuse_value(at + "/name", "must be a relative path without . and ..");
    }
    if (link.target.size() > kMaxPath || !is_safe_link(link.name, link.target)) {
      return refuse_value(at + "/target",
                          "must be a relative path that stays inside of the folder");
    }
    links.push_back({.name = std::move(link.name), .target = std::move(link.target)});
  }
  return links;
}

}  // namespace

Task<Answer<http::Response>> make_folder(Call call) {
  ATOLL_CO_TRY(MakeFolderBody body, co_await read_json<MakeFolderBody>(call, kMaxSmallBody));
  ATOLL_CO_CHECK(check_path(body.path, "/path"));
  ATOLL_CO_TRY(std::uint32_t mode, mode_at(body.mode));
  ATOLL_CO_TRY(model::File made,
               co_await call.control().files().make_folder(
                   call.caller, call.session_id(),
                   {.path = std::move(*body.path), .mode = mode, .parents = body.parents}));
  co_return json_response(201, file_view(made));
}

Task<Answer<http::Response>> make_links(Call call) {
  ATOLL_CO_TRY(MakeLinksBody body, co_await read_json<MakeLinksBody>(call, kMaxSmallBody));
  ATOLL_CO_CHECK(check_path(body.path, "/path"));
  ATOLL_CO_TRY(std::vector<model::FileLink> links, links_of(std::move(body.links)));
  control::MakeLinks request{.path = std::move(*body.path), .links = std::move(links)};
  ATOLL_CO_TRY(model::File folder, co_await call.control().files().make_links(
                                       call.caller, call.session_id(), std::move(request)));
  co_return json_response(200, file_view(folder));
}

Task<Answer<http::Response>> move_file(Call call) {
  ATOLL_CO_TRY(MoveFileBody body, co_await read_json<MoveFileBody>(call, kMaxSmallBody));
  ATOLL_CO_CHECK(check_path(body.from, "/from"));
  ATOLL_CO_CHECK(check_path(body.to, "/to"));
  control::MoveFile request{
      .from = std::move(*body.from), .to = std::move(*body.to), .overwrite = body.overwrite};
  ATOLL_CO_TRY(model::File moved, co_await call.control().files().move(
                                      call.caller, call.session_id(), std::move(request)));
  co_return json_response(200, file_view(moved));
}

Task<Answer<http::Response>> replace_text(Call call) {
  ATOLL_CO_TRY(bodies::ReplaceTextBody body, co_await read_json<bodies::ReplaceTextBody>(call));
  ATOLL_CO_CHECK(check_path(body.path, "/path"));
  if (!body.old_text) co_return refuse_field("/old_text", "is required");
  if (body.old_text->empty()) co_return refuse_value("/old_text", "must not be empty");
  control::ReplaceText request{.path = std::move(*body.path),
                               .old_text = std::move(*body.old_text),
                               .new_text = std::move(body.new_text)};
  ATOLL_CO_TRY(control::ReplacedText replaced,
               co_await call.control().files().replace_text(call.caller, call.session_id(),
                                                            std::move(request)));
  co_return json_response(
      200, bodies::ReplacedTextBody{.file = file_view(replaced.file), .count = replaced.count});
}

Task<Answer<http::Response>> change_mode(Call call) {
  ATOLL_CO_TRY(ChangeFileModeBody body,
               co_await read_json<ChangeFileModeBody>(call, kMaxSmallBody));
  ATOLL_CO_CHECK(check_path(body.path, "/path"));
  if (!body.mode) co_return refuse_field("/mode", "is required");
  ATOLL_CO_TRY(std::uint32_t mode, mode_at(*body.mode));
  ATOLL_CO_TRY(model::File changed,
               co_await call.control().files().change_mode(call.caller, call.session_id(),
                                                           std::move(*body.path), mode));
  co_return json_response(200, file_view(changed));
}

}  // namespace atl::api::rest
