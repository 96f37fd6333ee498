// POST …/files/mkdir, move and chmod: what changes files without their content.
#include <utility>

#include "api/limits.hpp"
#include "api/rest/body_checks.hpp"
#include "api/rest/files.hpp"
#include "api/rest/views.hpp"

namespace atl::api::rest {

namespace {

using bodies::ChangeFileModeBody;
using bodies::MakeFolderBody;
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
