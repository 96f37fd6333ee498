// filesystem.Filesystem but its watches: stat, list, make, move, remove.
#include "api/common/limits.hpp"
#include "api/e2b/entries.hpp"
#include "api/e2b/rpc.hpp"

namespace atl::api::e2b {

namespace {

using Kind = model::File::Kind;

Answer<std::string> path_of(const object& message, std::string_view name) {
  ATOLL_TRY(std::optional<std::string> path, text_member(message, name, kMaxPath));
  return std::move(path).value_or("");
}

Answer<void> check_call(const Call& call) { return check_user(call.request()); }

Task<Answer<object>> stat(Call call, object message) {
  ATOLL_CO_CHECK(check_call(call));
  ATOLL_CO_TRY(std::string path, path_of(message, "path"));
  ATOLL_CO_TRY(object entry, co_await look_up(std::move(call), std::move(path)));
  co_return object{{"entry", std::move(entry)}};
}

Task<Answer<object>> list(Call call, object message) {
  ATOLL_CO_CHECK(check_call(call));
  ATOLL_CO_TRY(std::string path, path_of(message, "path"));
  ATOLL_CO_TRY(std::optional<std::uint64_t> depth, number_member(message, "depth", 0, UINT32_MAX));
  ClientPath folder = client_path(path);
  control::Files& files = call.control().files();
  {
    ATOLL_CO_TRY(control::OpenedFile found,
                 co_await files.open(call.caller, call.sandbox, folder.inside));
    if (found.info().kind != Kind::kDirectory) {
      co_return refuse(Code::kInvalidArgument, "path is not a directory: " + path);
    }
  }
  std::uint64_t levels = std::max<std::uint64_t>(depth.value_or(1), 1);
  control::ListFiles request{
      .path = folder.inside,
      .depth = static_cast<std::uint32_t>(std::min<std::uint64_t>(levels, kMaxDepth)),
      .limit = kMaxListing};
  ATOLL_CO_TRY(model::FilePage page,
               co_await files.list(call.caller, call.sandbox, std::move(request)));
  array entries;
  for (model::File& file : page.files) {
    ATOLL_CO_TRY(object entry, co_await entry_of(call, folder, std::move(file)));
    entries.push_back(std::move(entry));
  }
  co_return object{{"entries", std::move(entries)}};
}

Task<Answer<object>> make_dir(Call call, object message) {
  ATOLL_CO_CHECK(check_call(call));
  ATOLL_CO_TRY(std::string path, path_of(message, "path"));
  ClientPath folder = client_path(path);
  control::Files& files = call.control().files();
  auto there = co_await files.info(call.caller, call.sandbox, folder.inside);
  if (there) {
    bool is_folder = there->kind == Kind::kDirectory;
    co_return refuse(is_folder ? Code::kAlreadyExists : Code::kInvalidArgument,
                     is_folder ? "directory already exists: " + path
                               : "path already exists but it is not a directory: " + path);
  }
  ATOLL_CO_TRY(model::File made,
               co_await files.make_folder(call.caller, call.sandbox, {.path = folder.inside}));
  ATOLL_CO_TRY(object entry,
               co_await entry_of(std::move(call), std::move(folder), std::move(made)));
  co_return object{{"entry", std::move(entry)}};
}

// Folders on the way to the destination are made.
Task<Answer<object>> move(Call call, object message) {
  ATOLL_CO_CHECK(check_call(call));
  ATOLL_CO_TRY(std::string source, path_of(message, "source"));
  ATOLL_CO_TRY(std::string destination, path_of(message, "destination"));
  ClientPath from = client_path(source);
  ClientPath to = client_path(destination);
  control::Files& files = call.control().files();
  ATOLL_CO_CHECK(co_await files.info(call.caller, call.sandbox, from.inside));
  std::string parent = to.inside.substr(0, to.inside.rfind('/'));
  bool own = parent.empty() || parent == kWorkspace || parent == "/tmp";
  if (!own) {
    ATOLL_CO_CHECK(co_await files.make_folder(call.caller, call.sandbox, {.path = parent}));
  }
  ATOLL_CO_TRY(model::File moved,
               co_await files.move(call.caller, call.sandbox,
                                   {.from = from.inside, .to = to.inside, .overwrite = true}));
  ATOLL_CO_TRY(object entry, co_await entry_of(std::move(call), std::move(to), std::move(moved)));
  co_return object{{"entry", std::move(entry)}};
}

// What is not there is removed already.
Task<Answer<object>> remove(Call call, object message) {
  ATOLL_CO_CHECK(check_call(call));
  ATOLL_CO_TRY(std::string path, path_of(message, "path"));
  auto removed = co_await call.control().files().remove(call.caller, call.sandbox,
                                                        client_path(path).inside, true);
  if (!removed && removed.error().code() != Code::kNotFound) {
    co_return std::unexpected<Refusal>(removed.error());
  }
  co_return object();
}

}  // namespace

void add_filesystem(Routes& routes) {
  const std::string service = "/filesystem.Filesystem/";
  routes.add(Method::kPost, service + "Stat", "e2bStat", Access::kReader,
             unary<kPathRequest, kEntryResponse, stat>);
  routes.add(Method::kPost, service + "ListDir", "e2bListDir", Access::kReader,
             unary<kListDirRequest, kListDirResponse, list>);
  routes.add(Method::kPost, service + "MakeDir", "e2bMakeDir", Access::kWriter,
             unary<kPathRequest, kEntryResponse, make_dir>);
  routes.add(Method::kPost, service + "Move", "e2bMove", Access::kWriter,
             unary<kMoveRequest, kEntryResponse, move>);
  routes.add(Method::kPost, service + "Remove", "e2bRemove", Access::kWriter,
             unary<kPathRequest, kEmptyMessage, remove>);
}

}  // namespace atl::api::e2b
