// Files of a session: list, search, read, write, change, watch. Names are those of box_path.hpp. A
// session that is still being made is waited for, and counts as used meanwhile. On the I/O thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/result.hpp"
#include "control/audit.hpp"
#include "control/caller.hpp"
#include "control/sessions.hpp"
#include "control/stream.hpp"
#include "model/file.hpp"

namespace atl::control {

// With `glob` or `contains` a search through everything below, otherwise a listing.
struct ListFiles {
  std::string path;
  std::uint32_t depth = 1;
  std::string glob;
  std::string contains;
  std::string after;  // FilePage::next of the page before
  std::size_t limit = 10'000;
};

struct WriteFile {
  std::string path;
  std::uint32_t mode = 0644;
};

struct WrittenFile {
  model::File file;
  bool is_new = true;
};

struct MakeFolder {
  std::string path;
  std::uint32_t mode = 0755;
  bool parents = true;
};

// The folder is made when it is missing. Names and targets are safe ones (base/safe_names.hpp).
struct MakeLinks {
  std::string path;
  std::vector<model::FileLink> links;
};

struct MoveFile {
  std::string from;
  std::string to;
  bool overwrite = false;
};

// Every `old_text` in a file of at most kMaxReplaced bytes becomes `new_text`.
struct ReplaceText {
  std::string path;
  std::string old_text;
  std::string new_text;
};

struct ReplacedText {
  model::File file;
  std::size_t count = 0;  // 0: the file is as it was
};

struct UploadFiles {
  std::string folder;
  std::uint32_t mode = 0644;  // of every file
};

class FileLocation;  // control/file_location.hpp

// A file or a folder that can be read, links followed.
class OpenedFile {
 public:
  OpenedFile(std::unique_ptr<FileLocation> location, model::File info);
  OpenedFile(OpenedFile&&) noexcept;
  OpenedFile& operator=(OpenedFile&&) = delete;
  ~OpenedFile();

  const model::File& info() const { return info_; }
  // `length` bytes of a file from `offset`; kIo when it ends before. Must not outlive this.
  async::Task<Result<std::unique_ptr<ByteSource>>> content(std::uint64_t offset,
                                                           std::uint64_t length);
  // A folder with everything below it, as a tar archive. Must not outlive this.
  async::Task<Result<std::unique_ptr<ByteSource>>> archive();

 private:
  std::unique_ptr<FileLocation> location_;
  model::File info_;
};

// Several files, one after the other. Each becomes visible when its last byte is there.
class Upload {
 public:
  Upload(Caller caller, std::unique_ptr<FileLocation> folder, std::uint32_t mode, Audit& audit);
  Upload(Upload&&) noexcept;
  Upload& operator=(Upload&&) = delete;
  ~Upload();

  Result<void> set_folder(const std::string& name);  // for those that follow
  void set_mode(std::uint32_t mode) { mode_ = mode; }
  async::Task<Result<void>> begin(std::string name);
  async::Task<Result<void>> write(std::string bytes);
  async::Task<Result<model::File>> finish();  // its path and size

 private:
  Caller caller_;
  std::unique_ptr<FileLocation> folder_;
  std::uint32_t mode_;
  Audit& audit_;
  std::string path_;  // of the file that is being written
  std::uint64_t size_ = 0;
  std::unique_ptr<sandbox::ByteStream> stream_;
};

class Files {
 public:
  static constexpr std::uint64_t kMaxReplaced = 16u << 20;

  Files(Sessions& sessions, Audit& audit) : sessions_(sessions), audit_(audit) {}

  async::Task<Result<model::FilePage>> list(Caller caller, SessionId id, ListFiles request);
  async::Task<Result<OpenedFile>> open(Caller caller, SessionId id, std::string path);
  // Whatever stands there, links not followed.
  async::Task<Result<model::File>> info(Caller caller, SessionId id, std::string path);
  // kTooLarge for a file of more than kMaxReplaced bytes, before or after.
  async::Task<Result<ReplacedText>> replace_text(Caller caller, SessionId id, ReplaceText request);
  // Visible only once the last byte is there. `content` outlives the call.
  async::Task<Result<WrittenFile>> write(Caller caller, SessionId id, WriteFile request,
                                         ByteSource* content);
  async::Task<Result<Upload>> upload(Caller caller, SessionId id, UploadFiles request);
  async::Task<Result<void>> remove(Caller caller, SessionId id, std::string path, bool recursive);
  async::Task<Result<model::File>> make_folder(Caller caller, SessionId id, MakeFolder request);
  // Symbolic links below a folder. Files and links of the same name are replaced.
  async::Task<Result<model::File>> make_links(Caller caller, SessionId id, MakeLinks request);
  async::Task<Result<model::File>> move(Caller caller, SessionId id, MoveFile request);
  async::Task<Result<model::File>> change_mode(Caller caller, SessionId id, std::string path,
                                               std::uint32_t mode);
  // An error: the folder, or the sandbox, is gone.
  async::Task<Result<std::unique_ptr<Stream<model::FileChange>>>> watch(Caller caller, SessionId id,
                                                                        std::string path,
                                                                        bool recursive);

 private:
  async::Task<Result<FileLocation>> locate(Caller caller, SessionId id, std::string name);
  async::Task<Result<model::File>> changed(Caller caller, FileLocation location);

  Sessions& sessions_;
  Audit& audit_;
};

}  // namespace atl::control
