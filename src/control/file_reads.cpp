// Files on their way to a client: a part of one, a folder as an archive, and what changes.
#include <algorithm>
#include <utility>

#include "control/file_location.hpp"
#include "control/files.hpp"
#include "control/tar.hpp"
#include "guest/pack.hpp"

namespace atl::control {

using async::Task;
using guest::PackReader;
using sandbox::ByteStream;
using sandbox::FileInfo;

namespace {

constexpr int kMaxLinks = 16;

class FileContent final : public ByteSource {
 public:
  FileContent(std::unique_ptr<ByteStream> stream, std::uint64_t offset, std::uint64_t length)
      : stream_(std::move(stream)), position_(offset), left_(length) {}

  Task<Result<std::optional<std::string>>> next() override {
    if (left_ == 0) co_return std::nullopt;
    ATOLL_CO_TRY(std::string bytes, co_await stream_->read());
    if (bytes.empty()) co_return fail(Code::kIo, "the file ended too early");
    bytes.resize(std::min<std::uint64_t>(left_, bytes.size()));
    left_ -= bytes.size();
    position_ += bytes.size();
    co_return bytes;
  }
  std::uint64_t position() const override { return position_; }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::uint64_t position_;
  std::uint64_t left_;
};

TarEntry tar_entry(const guest::PackEntry& entry) {
  TarEntry out{.name = entry.path,
               .mode = entry.mode,
               .size = entry.size,
               .mtime = entry.mtime_ns / 1'000'000'000,
               .link_target = entry.target};
  if (entry.kind == FileInfo::kDirectory) out.kind = TarEntry::Kind::kDirectory;
  if (entry.kind == FileInfo::kSymlink) out.kind = TarEntry::Kind::kSymlink;
  return out;
}

class FolderArchive final : public ByteSource {
 public:
  explicit FolderArchive(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  Task<Result<std::optional<std::string>>> next() override {
    while (!reader_.ended()) {
      ATOLL_CO_TRY(std::string bytes, co_await stream_->read());
      if (bytes.empty()) co_return fail(Code::kIo, "the folder ended too early");
      ATOLL_CO_TRY(std::string out, as_tar(bytes));
      if (!out.empty()) co_return out;
    }
    co_return std::nullopt;
  }

 private:
  // Turns what `bytes` hold of a pack into tar; small pieces go out together.
  Result<std::string> as_tar(std::string_view bytes) {
    std::string out;
    for (;;) {
      ATOLL_TRY(PackReader::Event event, reader_.next(bytes));
      if (event == PackReader::Event::kMore || event == PackReader::Event::kEnd) break;
      if (event == PackReader::Event::kEntry) out += tar_header(tar_entry(reader_.entry()));
      if (event == PackReader::Event::kContent) out += reader_.content();
      if (event == PackReader::Event::kDone) out += tar_padding(reader_.entry().size);
    }
    if (reader_.ended()) out += tar_end();
    return out;
  }

  std::unique_ptr<ByteStream> stream_;
  PackReader reader_;
};

model::FileChange::Kind kind_of(std::uint8_t kind) {
  using Kind = model::FileChange::Kind;
  switch (kind) {
    case guest::WatchEvent::kCreated: return Kind::kCreated;
    case guest::WatchEvent::kModified: return Kind::kModified;
    case guest::WatchEvent::kRemoved: return Kind::kRemoved;
    case guest::WatchEvent::kMoved: return Kind::kMoved;
    default: return Kind::kOverflow;
  }
}

class FolderChanges final : public Stream<model::FileChange> {
 public:
  FolderChanges(FileLocation folder, std::unique_ptr<sandbox::Watch> watch)
      : folder_(std::move(folder)), watch_(std::move(watch)) {}

  Task<Result<std::optional<model::FileChange>>> next() override {
    ATOLL_CO_TRY(sandbox::WatchEvent event, co_await watch_->next());
    co_return model::FileChange{.kind = kind_of(event.kind),
                                .path = folder_.shown(folder_.path + "/" + event.path)};
  }

 private:
  FileLocation folder_;
  std::unique_ptr<sandbox::Watch> watch_;
};

// What a name stands for, links followed; the sandbox sees to it that they lead nowhere else.
Task<Result<FileInfo>> look_up(sandbox::Sandbox* box, std::string path) {
  for (int hops = 0; hops < kMaxLinks; ++hops) {
    ATOLL_CO_TRY(FileInfo info, co_await box->stat(path));
    if (info.kind != FileInfo::kSymlink) {
      info.path = std::move(path);
      co_return info;
    }
    bool absolute = info.target.starts_with('/');
    path = absolute ? info.target : path.substr(0, path.rfind('/') + 1) + info.target;
  }
  co_return fail(Code::kConflict, "too many links");
}

}  // namespace

OpenedFile::OpenedFile(std::unique_ptr<FileLocation> location, model::File info)
    : location_(std::move(location)), info_(std::move(info)) {}
OpenedFile::OpenedFile(OpenedFile&&) noexcept = default;
OpenedFile::~OpenedFile() = default;

Task<Result<std::unique_ptr<ByteSource>>> OpenedFile::content(std::uint64_t offset,
                                                              std::uint64_t length) {
  ATOLL_CO_TRY(std::unique_ptr<ByteStream> stream,
               co_await location_->sandbox().get_file(location_->path, offset, length));
  co_return std::make_unique<FileContent>(std::move(stream), offset, length);
}

Task<Result<std::unique_ptr<ByteSource>>> OpenedFile::archive() {
  ATOLL_CO_TRY(std::unique_ptr<ByteStream> stream,
               co_await location_->sandbox().get_tree(location_->path));
  co_return std::make_unique<FolderArchive>(std::move(stream));
}

Task<Result<OpenedFile>> Files::open(Caller caller, SessionId id, std::string path) {
  ATOLL_CO_TRY(FileLocation location,
               co_await locate(std::move(caller), std::move(id), std::move(path)));
  ATOLL_CO_TRY(FileInfo info, co_await look_up(&location.sandbox(), location.path));
  if (info.kind != FileInfo::kDirectory && info.kind != FileInfo::kFile) {
    co_return fail(Code::kConflict, "this is neither a file nor a folder");
  }
  location.path = info.path;
  model::File file = location.file(info);
  co_return OpenedFile(std::make_unique<FileLocation>(std::move(location)), std::move(file));
}

Task<Result<std::unique_ptr<Stream<model::FileChange>>>> Files::watch(Caller caller, SessionId id,
                                                                      std::string path,
                                                                      bool recursive) {
  ATOLL_CO_TRY(FileLocation folder,
               co_await locate(std::move(caller), std::move(id), std::move(path)));
  ATOLL_CO_TRY(std::unique_ptr<sandbox::Watch> watch,
               co_await folder.sandbox().watch(folder.path, recursive));
  co_return std::make_unique<FolderChanges>(std::move(folder), std::move(watch));
}

}  // namespace atl::control
