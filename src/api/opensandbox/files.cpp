// /files and /directories of execd, without content: see upload.cpp and download.cpp.
#include "api/opensandbox/files.hpp"

#include <utility>

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>

#include "api/common/limits.hpp"
#include "api/opensandbox/file_view.hpp"

namespace atl::api::opensandbox {

namespace {

using Permissions = std::map<std::string, PermissionBody>;

struct MoveBody {
  std::string src;
  std::string dest;
};
BOOST_DESCRIBE_STRUCT(MoveBody, (), (src, dest))

struct ReplaceBody {
  std::optional<std::string> old;
  std::optional<std::string> new_;
};
BOOST_DESCRIBE_STRUCT(ReplaceBody, (), (old, new_))

template <typename Many>
Answer<void> check_count(const Many& many) {
  if (many.size() <= kMaxLinks) return {};
  return refuse(Code::kInvalidArgument, "at most 1000 files in one request");
}

Task<Answer<std::string>> workspace_of(Call call) {
  ATOLL_CO_TRY(model::Session row,
               co_await call.control().sessions().get(call.caller, call.session_id()));
  co_return std::move(row.workspace);
}

Task<Answer<http::Response>> info(Call call) {
  ATOLL_CO_TRY(std::vector<std::string> paths, query_all(call, "path"));
  object all;
  for (std::string& path : paths) {
    ATOLL_CO_TRY(model::File file,
                 co_await call.control().files().info(call.caller, call.session_id(), path));
    all[path] = file_view(file, path);
  }
  co_return json_response(200, all);
}

// Every page: a listing that is cut is none.
Task<Answer<http::Response>> list_all(Call call, control::ListFiles request, bool folders) {
  ATOLL_CO_TRY(std::string workspace, co_await workspace_of(call));
  boost::json::array items;
  for (;;) {
    ATOLL_CO_TRY(model::FilePage page,
                 co_await call.control().files().list(call.caller, call.session_id(), request));
    for (const model::File& file : page.files) {
      if (!folders && file.kind == model::File::Kind::kDirectory) continue;
      items.push_back(file_view(file, whole_path(file, workspace)));
    }
    if (page.next.empty()) {
      if (page.truncated) co_return refuse(Code::kTooLarge, "there are too many files");
      break;
    }
    request.after = std::move(page.next);
  }
  co_return json_response(200, items);
}

Task<Answer<http::Response>> search(Call call) {
  ATOLL_CO_TRY(std::vector<std::string> paths, query_all(call, "path"));
  std::string pattern(call.request().query_value("pattern"));
  if (pattern.empty() || pattern == "**") pattern = "*";
  if (pattern.size() > kMaxName)
    co_return refuse(Code::kInvalidArgument, "the pattern is too long");
  control::ListFiles request{.path = std::move(paths[0]), .glob = std::move(pattern)};
  co_return co_await list_all(call, std::move(request), false);
}

Task<Answer<http::Response>> list(Call call) {
  ATOLL_CO_TRY(std::vector<std::string> paths, query_all(call, "path"));
  ATOLL_CO_TRY(std::uint64_t depth, query_number(call, "depth", 1, 1, UINT32_MAX));
  control::ListFiles request{.path = std::move(paths[0]),
                             .depth = static_cast<std::uint32_t>(depth)};
  co_return co_await list_all(call, std::move(request), true);
}

Task<Answer<http::Response>> remove_files(Call call) {
  ATOLL_CO_TRY(std::vector<std::string> paths, query_all(call, "path"));
  for (std::string& path : paths) {
    ATOLL_CO_CHECK(co_await call.control().files().remove(call.caller, call.session_id(),
                                                          std::move(path), false));
  }
  co_return empty_response(200);
}

// As `rm -rf`: what is not there is gone already.
Task<Answer<http::Response>> remove_folders(Call call) {
  ATOLL_CO_TRY(std::vector<std::string> paths, query_all(call, "path"));
  for (std::string& path : paths) {
    Result<void> removed = co_await call.control().files().remove(call.caller, call.session_id(),
                                                                  std::move(path), true);
    if (!removed && removed.error().code() != Code::kNotFound) {
      co_return std::unexpected<Refusal>(std::move(removed).error());
    }
  }
  co_return empty_response(200);
}

Task<Answer<http::Response>> make_folders(Call call) {
  ATOLL_CO_TRY(Permissions wanted, co_await read_json<Permissions>(call));
  ATOLL_CO_CHECK(check_count(wanted));
  for (const auto& [path, permission] : wanted) {
    ATOLL_CO_TRY(std::uint32_t mode, mode_of(permission, 0755));
    ATOLL_CO_CHECK(co_await call.control().files().make_folder(
        call.caller, call.session_id(), {.path = path, .mode = mode, .parents = true}));
  }
  co_return empty_response(200);
}

Task<Answer<http::Response>> change_modes(Call call) {
  ATOLL_CO_TRY(Permissions wanted, co_await read_json<Permissions>(call));
  ATOLL_CO_CHECK(check_count(wanted));
  for (const auto& [path, permission] : wanted) {
    ATOLL_CO_TRY(std::uint32_t mode, mode_of(permission, UINT32_MAX));
    if (mode == UINT32_MAX) continue;
    ATOLL_CO_CHECK(
        co_await call.control().files().change_mode(call.caller, call.session_id(), path, mode));
  }
  co_return empty_response(200);
}

Task<Answer<http::Response>> move(Call call) {
  ATOLL_CO_TRY(std::vector<MoveBody> moves, co_await read_json<std::vector<MoveBody>>(call));
  ATOLL_CO_CHECK(check_count(moves));
  for (MoveBody& one : moves) {
    control::MoveFile request{
        .from = std::move(one.src), .to = std::move(one.dest), .overwrite = true};
    ATOLL_CO_CHECK(
        co_await call.control().files().move(call.caller, call.session_id(), std::move(request)));
  }
  co_return empty_response(200);
}

Task<Answer<http::Response>> replace(Call call) {
  using Replacements = std::map<std::string, ReplaceBody>;
  ATOLL_CO_TRY(bool verbose, query_flag(call, "verbose"));
  ATOLL_CO_TRY(Replacements wanted, co_await read_json<Replacements>(call));
  ATOLL_CO_CHECK(check_count(wanted));
  object counts;
  for (auto& [path, one] : wanted) {
    control::ReplaceText request{.path = path,
                                 .old_text = std::move(one.old).value_or(""),
                                 .new_text = std::move(one.new_).value_or("")};
    ATOLL_CO_TRY(control::ReplacedText replaced,
                 co_await call.control().files().replace_text(call.caller, call.session_id(),
                                                              std::move(request)));
    counts[path] = object{{"replacedCount", replaced.count}};
  }
  co_return verbose ? json_response(200, counts) : empty_response(200);
}

}  // namespace

void add_files(Routes& routes) {
  routes.execd(Method::kGet, "/files/info", "file_info", Access::kReader, info);
  routes.execd(Method::kGet, "/files/search", "search_files", Access::kReader, search);
  routes.execd(Method::kDelete, "/files", "delete_files", Access::kWriter, remove_files);
  routes.execd(Method::kPost, "/files/permissions", "change_modes", Access::kWriter, change_modes);
  routes.execd(Method::kPost, "/files/mv", "move_files", Access::kWriter, move);
  routes.execd(Method::kPost, "/files/replace", "replace_text", Access::kWriter, replace);
  routes.execd(Method::kPost, "/files/upload", "upload_files", Access::kWriter, upload_files);
  routes.execd(Method::kGet, "/files/download", "download_file", Access::kReader, download_file);
  routes.execd(Method::kGet, "/directories/list", "list_folder", Access::kReader, list);
  routes.execd(Method::kPost, "/directories", "make_folders", Access::kWriter, make_folders);
  routes.execd(Method::kDelete, "/directories", "delete_folders", Access::kWriter, remove_folders);
}

}  // namespace atl::api::opensandbox
