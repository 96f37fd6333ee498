// Files that come from a client: one by one, or several in one request.
#include <utility>

#include "base/fault.hpp"
#include "control/file_location.hpp"
#include "control/files.hpp"

namespace atl::control {

using async::Task;
using model::AuditAction;

Task<Result<WrittenFile>> Files::write(Caller caller, SessionId id, WriteFile request,
                                       ByteSource* content) {
  ATOLL_CO_TRY(FileLocation file, co_await locate(caller, std::move(id), request.path));
  if (file.is_workspace()) co_return fail(Code::kInvalidArgument, "a file needs a name");
  bool is_new = !co_await file.sandbox().stat(file.path);
  ATOLL_CO_TRY(std::unique_ptr<sandbox::ByteStream> stream,
               co_await file.sandbox().put_file(file.path, request.mode));
  fault::here("upload.begun");
  for (;;) {
    ATOLL_CO_TRY(std::optional<std::string> piece, co_await content->next());
    if (!piece) break;
    ATOLL_CO_CHECK(co_await stream->write(std::move(*piece)));
    fault::here("upload.data");
  }
  ATOLL_CO_CHECK(co_await stream->finish());
  fault::here("upload.finished");
  ATOLL_CO_TRY(model::File written, co_await changed(std::move(caller), std::move(file)));
  co_return WrittenFile{.file = std::move(written), .is_new = is_new};
}

Task<Result<Upload>> Files::upload(Caller caller, SessionId id, UploadFiles request) {
  ATOLL_CO_TRY(FileLocation folder, co_await locate(caller, std::move(id), request.folder));
  co_return Upload(std::move(caller), std::make_unique<FileLocation>(std::move(folder)),
                   request.mode, audit_);
}

Upload::Upload(Caller caller, std::unique_ptr<FileLocation> folder, std::uint32_t mode,
               Audit& audit)
    : caller_(std::move(caller)), folder_(std::move(folder)), mode_(mode), audit_(audit) {}
Upload::Upload(Upload&&) noexcept = default;
Upload::~Upload() = default;

Result<void> Upload::set_folder(const std::string& name) {
  ATOLL_TRY(folder_->path, box_path(name, folder_->workspace()));
  return {};
}

Task<Result<void>> Upload::begin(std::string name) {
  // A folder holds names that are relative.
  if (!name.starts_with('/')) name = folder_->path + "/" + name;
  ATOLL_CO_TRY(path_, box_path(name, folder_->workspace()));
  if (path_ == folder_->workspace() || path_ == folder_->path) {
    co_return fail(Code::kInvalidArgument, "a file needs a name");
  }
  size_ = 0;
  ATOLL_CO_TRY(stream_, co_await folder_->sandbox().put_file(path_, mode_));
  fault::here("upload.begun");
  co_return Result<void>();
}

Task<Result<void>> Upload::write(std::string bytes) {
  size_ += bytes.size();
  ATOLL_CO_CHECK(co_await stream_->write(std::move(bytes)));
  fault::here("upload.data");
  co_return Result<void>();
}

Task<Result<model::File>> Upload::finish() {
  ATOLL_CO_CHECK(co_await stream_->finish());
  fault::here("upload.finished");
  stream_.reset();
  folder_->record(caller_, audit_, AuditAction::kFileWritten, path_);
  co_return model::File{
      .path = folder_->shown(path_), .kind = model::File::Kind::kFile, .size = size_};
}

}  // namespace atl::control
