#include "control/files.hpp"

#include <algorithm>
#include <utility>

#include "base/safe_names.hpp"
#include "control/file_location.hpp"
#include "guest/pack.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;
using sandbox::FileInfo;

namespace {

constexpr std::size_t kMaxLooked = 100'000;  // files that pages are cut from

Error of_session() { return Error(Code::kInvalidArgument, "this folder belongs to the session"); }

// The page behind `request.after`, by path.
model::FilePage page_of(std::vector<FileInfo> files, const FileLocation& folder,
                        const ListFiles& request) {
  model::FilePage page{.path = folder.shown(folder.path), .truncated = files.size() > kMaxLooked};
  std::erase_if(files, [&](const FileInfo& file) { return file.path <= request.after; });
  std::ranges::sort(files, {}, &FileInfo::path);
  if (files.size() > request.limit) {
    files.resize(request.limit);
    page.next = files.back().path;
    page.truncated = true;
  }
  for (FileInfo& file : files) {
    file.path = folder.path + "/" + file.path;
    page.files.push_back(folder.file(file));
  }
  return page;
}

Task<Result<model::File>> look(const FileLocation* location) {
  ATOLL_CO_TRY(FileInfo info, co_await location->sandbox().stat(location->path));
  info.path = location->path;
  co_return location->file(info);
}

}  // namespace

Task<Result<FileLocation>> Files::locate(Caller caller, SessionId id, std::string name) {
  ATOLL_CO_TRY(Use use, co_await sessions_.use(std::move(caller), std::move(id)));
  ATOLL_CO_TRY(std::string path, box_path(name, use.sandbox().workspace()));
  co_return FileLocation(std::move(use), std::move(path));
}

Task<Result<model::FilePage>> Files::list(Caller caller, SessionId id, ListFiles request) {
  ATOLL_CO_TRY(FileLocation folder,
               co_await locate(std::move(caller), std::move(id), request.path));
  std::vector<FileInfo> files;
  if (request.glob.empty() && request.contains.empty()) {
    ATOLL_CO_TRY(files, co_await folder.sandbox().list(folder.path, request.depth, kMaxLooked + 1));
  } else {
    guest::SearchArgs search{.root = folder.path,
                             .name_glob = request.glob,
                             .contains = request.contains,
                             .max_results = kMaxLooked + 1};
    ATOLL_CO_TRY(files, co_await folder.sandbox().search(std::move(search)));
  }
  co_return page_of(std::move(files), folder, request);
}

Task<Result<void>> Files::remove(Caller caller, SessionId id, std::string path, bool recursive) {
  ATOLL_CO_TRY(FileLocation file, co_await locate(caller, std::move(id), std::move(path)));
  if (file.is_of_session()) co_return fail(of_session());
  ATOLL_CO_CHECK(co_await file.sandbox().remove(file.path, recursive));
  file.record(caller, audit_, AuditAction::kFileRemoved, file.path);
  co_return Result<void>();
}

Task<Result<model::File>> Files::changed(Caller caller, FileLocation location) {
  location.record(caller, audit_, AuditAction::kFileWritten, location.path);
  co_return co_await look(&location);
}

Task<Result<model::File>> Files::make_folder(Caller caller, SessionId id, MakeFolder request) {
  ATOLL_CO_TRY(FileLocation folder, co_await locate(caller, std::move(id), request.path));
  if (folder.is_of_session()) co_return fail(of_session());
  ATOLL_CO_CHECK(co_await folder.sandbox().make_dir(folder.path, request.mode, request.parents));
  co_return co_await changed(std::move(caller), std::move(folder));
}

Task<Result<model::File>> Files::make_links(Caller caller, SessionId id, MakeLinks request) {
  std::string pack;
  for (const model::FileLink& link : request.links) {
    bool safe = is_safe_name(link.name) && guest::valid_pack_path(link.name) &&
                is_safe_link(link.name, link.target);
    if (!safe) co_return fail(Code::kInvalidArgument, "a link must stay inside of its folder");
    pack += guest::pack_entry(
        {.kind = guest::FileInfo::kSymlink, .path = link.name, .target = link.target});
  }
  pack += guest::pack_end();
  ATOLL_CO_TRY(FileLocation folder, co_await locate(caller, std::move(id), request.path));
  if (!folder.is_of_session()) {
    ATOLL_CO_CHECK(co_await folder.sandbox().make_dir(folder.path, 0755, true));
  }
  ATOLL_CO_TRY(std::unique_ptr<sandbox::ByteStream> tree,
               co_await folder.sandbox().put_tree(folder.path));
  ATOLL_CO_CHECK(co_await tree->write(std::move(pack)));
  ATOLL_CO_CHECK(co_await tree->finish());
  co_return co_await changed(std::move(caller), std::move(folder));
}

Task<Result<model::File>> Files::move(Caller caller, SessionId id, MoveFile request) {
  ATOLL_CO_TRY(FileLocation from, co_await locate(caller, id, request.from));
  ATOLL_CO_TRY(FileLocation to, co_await locate(caller, std::move(id), request.to));
  if (from.is_of_session() || to.is_of_session()) co_return fail(of_session());
  ATOLL_CO_CHECK(co_await to.sandbox().move(from.path, to.path, request.overwrite));
  from.record(caller, audit_, AuditAction::kFileRemoved, from.path);
  co_return co_await changed(std::move(caller), std::move(to));
}

Task<Result<model::File>> Files::change_mode(Caller caller, SessionId id, std::string path,
                                             std::uint32_t mode) {
  ATOLL_CO_TRY(FileLocation file, co_await locate(caller, std::move(id), std::move(path)));
  if (file.is_of_session()) co_return fail(of_session());
  ATOLL_CO_CHECK(co_await file.sandbox().chmod(file.path, mode));
  co_return co_await changed(std::move(caller), std::move(file));
}

}  // namespace atl::control
