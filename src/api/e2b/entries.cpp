#include "api/e2b/entries.hpp"

#include "api/common/text.hpp"

namespace atl::api::e2b {

namespace {

using Kind = model::File::Kind;

std::string_view type_name(Kind kind) {
  switch (kind) {
    case Kind::kFile: return "FILE_TYPE_FILE";
    case Kind::kDirectory: return "FILE_TYPE_DIRECTORY";
    case Kind::kSymlink: return "FILE_TYPE_SYMLINK";
    case Kind::kOther: return "FILE_TYPE_UNSPECIFIED";
  }
  return "FILE_TYPE_UNSPECIFIED";
}

}  // namespace

Task<Answer<object>> entry_of(Call call, ClientPath path, model::File file) {
  std::string shown = path.shown(file.path);
  Kind kind = file.kind;
  if (kind == Kind::kSymlink) {
    auto target = co_await call.control().files().open(call.caller, call.sandbox, file.path);
    kind = target ? target->info().kind : Kind::kOther;
  }
  model::Time changed{std::chrono::milliseconds(file.mtime_ns / 1'000'000)};
  object entry{{"name", json_text(shown.substr(shown.rfind('/') + 1))},
               {"type", type_name(kind)},
               {"path", json_text(shown)},
               {"size", std::to_string(file.size)},
               {"mode", file.mode},
               {"permissions", permissions_of(file)},
               {"owner", "user"},
               {"group", "user"},
               {"modifiedTime", rfc3339(changed)}};
  if (file.kind == Kind::kSymlink) entry["symlinkTarget"] = json_text(file.target);
  co_return entry;
}

Task<Answer<object>> look_up(Call call, std::string path) {
  ClientPath wanted = client_path(path);
  ATOLL_CO_TRY(model::File file,
               co_await call.control().files().info(call.caller, call.sandbox, wanted.inside));
  co_return co_await entry_of(std::move(call), std::move(wanted), std::move(file));
}

}  // namespace atl::api::e2b
