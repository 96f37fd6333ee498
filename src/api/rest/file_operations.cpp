// POST …/files/mkdir, move and chmod: what changes files without their content.
#include <utility>

#include <boost/describe/class.hpp>

#include "api/limits.hpp"
#include "api/rest/body_checks.hpp"
#include "api/rest/files.hpp"
#include "api/rest/views.hpp"
#include "control/box_path.hpp"

namespace atl::api::rest {

namespace {

using model::AuditAction;

struct MkdirBody {
  std::optional<std::string> path;
  std::string mode = "0755";
  bool parents = true;
};
BOOST_DESCRIBE_STRUCT(MkdirBody, (), (path, mode, parents))

struct MoveBody {
  std::optional<std::string> from;
  std::optional<std::string> to;
  bool overwrite = false;
};
BOOST_DESCRIBE_STRUCT(MoveBody, (), (from, to, overwrite))

struct ChmodBody {
  std::optional<std::string> path;
  std::optional<std::string> mode;
};
BOOST_DESCRIBE_STRUCT(ChmodBody, (), (path, mode))

Answer<void> check_path(const std::optional<std::string>& path, const std::string& at) {
  if (!path) return refuse_field(at, "is required");
  return check_text(path, at, kMaxPath);
}

Answer<std::uint32_t> mode_at(std::string_view text) {
  std::optional<std::uint32_t> mode = parse_mode(text);
  if (!mode) return refuse_value("/mode", "must be octal, as in 0644, up to 0777");
  return *mode;
}

// The folders that every session has are not the client's to change.
Answer<void> check_own(const Place& place) {
  if (!place.is_workspace() && place.path != "/tmp") return {};
  return refuse(Code::kInvalidArgument, "this folder belongs to the session");
}

Task<Answer<http::Response>> changed(Call call, Place place, int status) {
  record(call, AuditAction::kFileWritten, control::shown_path(place.path, place.workspace));
  ATOLL_CO_TRY(sandbox::FileInfo info, co_await place.sandbox().stat(place.path));
  info.path = place.path;
  co_return json_response(status, file_view(info, place.workspace));
}

}  // namespace

Task<Answer<http::Response>> make_folder(Call call) {
  ATOLL_CO_TRY(MkdirBody body, co_await read_json<MkdirBody>(call, kMaxSmallBody));
  ATOLL_CO_CHECK(check_path(body.path, "/path"));
  ATOLL_CO_TRY(std::uint32_t mode, mode_at(body.mode));
  ATOLL_CO_TRY(Place place, co_await open_place(call, std::move(*body.path)));
  ATOLL_CO_CHECK(check_own(place));
  ATOLL_CO_CHECK(co_await place.sandbox().make_dir(place.path, mode, body.parents));
  co_return co_await changed(call, std::move(place), 201);
}

Task<Answer<http::Response>> move_file(Call call) {
  ATOLL_CO_TRY(MoveBody body, co_await read_json<MoveBody>(call, kMaxSmallBody));
  ATOLL_CO_CHECK(check_path(body.from, "/from"));
  ATOLL_CO_CHECK(check_path(body.to, "/to"));
  ATOLL_CO_TRY(Place from, co_await open_place(call, std::move(*body.from)));
  ATOLL_CO_TRY(Place to, co_await open_place(call, std::move(*body.to)));
  ATOLL_CO_CHECK(check_own(from));
  ATOLL_CO_CHECK(check_own(to));
  ATOLL_CO_CHECK(co_await to.sandbox().move(from.path, to.path, body.overwrite));
  record(call, AuditAction::kFileRemoved, control::shown_path(from.path, from.workspace));
  co_return co_await changed(call, std::move(to), 200);
}

Task<Answer<http::Response>> change_mode(Call call) {
  ATOLL_CO_TRY(ChmodBody body, co_await read_json<ChmodBody>(call, kMaxSmallBody));
  ATOLL_CO_CHECK(check_path(body.path, "/path"));
  if (!body.mode) co_return refuse_field("/mode", "is required");
  ATOLL_CO_TRY(std::uint32_t mode, mode_at(*body.mode));
  ATOLL_CO_TRY(Place place, co_await open_place(call, std::move(*body.path)));
  ATOLL_CO_CHECK(check_own(place));
  ATOLL_CO_CHECK(co_await place.sandbox().chmod(place.path, mode));
  co_return co_await changed(call, std::move(place), 200);
}

}  // namespace atl::api::rest
