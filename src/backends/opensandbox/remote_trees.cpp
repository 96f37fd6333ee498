// Whole folders of a remote sandbox: a pack (guest/pack.hpp) taken apart here and put in file by
// file, or put together from a listing.
#include <algorithm>
#include <utility>

#include "backends/opensandbox/file_streams.hpp"
#include "backends/opensandbox/remote_sandbox.hpp"
#include "backends/opensandbox/script.hpp"
#include "guest/pack.hpp"

namespace atl::backends::opensandbox {

using async::Task;
using guest::PackEntry;
using guest::PackReader;
using sandbox::ByteStream;
using sandbox::FileInfo;

namespace {

constexpr std::uint32_t kAllLevels = 4096;
constexpr std::size_t kMostEntries = 1'000'000;

class TreePut final : public ByteStream {
 public:
  TreePut(sandbox::Sandbox* sandbox, std::shared_ptr<Execd> execd, std::string root)
      : sandbox_(sandbox), execd_(std::move(execd)), root_(std::move(root)) {}

  Task<Result<std::string>> read() override { co_return std::string(); }

  // What is wrong with a pack is told at its end.
  Task<Result<void>> write(std::string bytes) override {
    if (!failed_) {
      Result<void> taken = co_await take(std::move(bytes));
      if (!taken) failed_ = std::move(taken).error();
    }
    co_return Result<void>();
  }

  Task<Result<void>> finish() override {
    if (failed_) co_return fail(*failed_);
    if (!reader_.ended()) co_return fail(Code::kInvalidArgument, "the archive is truncated");
    co_return Result<void>();
  }

 private:
  Task<Result<void>> take(std::string bytes) {
    std::string_view input = bytes;
    for (;;) {
      if (reader_.ended() && input.empty()) co_return Result<void>();
      ATOLL_CO_TRY(PackReader::Event event, reader_.next(input));
      switch (event) {
        case PackReader::Event::kMore: co_return Result<void>();
        case PackReader::Event::kEntry: ATOLL_CO_CHECK(co_await begin()); break;
        case PackReader::Event::kContent:
          ATOLL_CO_CHECK(co_await file_->write(std::string(reader_.content())));
          break;
        case PackReader::Event::kDone:
          if (file_) ATOLL_CO_CHECK(co_await file_->finish());
          file_.reset();
          break;
        case PackReader::Event::kEnd: break;
      }
    }
  }

  Task<Result<void>> begin() {
    const PackEntry& entry = reader_.entry();
    std::string path = root_ + "/" + entry.path;
    if (entry.kind == FileInfo::kDirectory) {
      co_return co_await sandbox_->make_dir(std::move(path), entry.mode, true);
    }
    if (entry.kind == FileInfo::kSymlink) {
      ATOLL_CO_CHECK(
          co_await execd_->run_well(with_words("ln -sfn -- \"$1\" \"$2\"", {entry.target, path})));
      co_return Result<void>();
    }
    ATOLL_CO_TRY(file_, co_await sandbox_->put_file(std::move(path), entry.mode));
    co_return Result<void>();
  }

  sandbox::Sandbox* sandbox_;
  std::shared_ptr<Execd> execd_;
  std::string root_;
  PackReader reader_;
  std::unique_ptr<ByteStream> file_;
  std::optional<Error> failed_;
};

class TreeGet final : public ByteStream {
 public:
  TreeGet(sandbox::Sandbox* sandbox, std::string root, std::vector<FileInfo> entries)
      : sandbox_(sandbox), root_(std::move(root)), entries_(std::move(entries)) {}

  Task<Result<std::string>> read() override {
    while (file_) {
      ATOLL_CO_TRY(std::string bytes, co_await file_->read());
      if (bytes.size() > left_) co_return fail(Code::kConflict, "a file grew while it was read");
      left_ -= bytes.size();
      if (!bytes.empty()) co_return bytes;
      if (left_ != 0) co_return fail(Code::kConflict, "a file shrank while it was read");
      file_.reset();
    }
    while (next_ < entries_.size() && entries_[next_].kind == FileInfo::kOther) ++next_;
    if (next_ < entries_.size()) co_return co_await begin(entries_[next_++]);
    if (std::exchange(ended_, true)) co_return std::string();
    co_return std::string(guest::pack_end());
  }
  Task<Result<void>> write(std::string) override {
    co_return fail(Code::kInvalidArgument, "this folder is only read");
  }
  Task<Result<void>> finish() override { co_return Result<void>(); }

 private:
  Task<Result<std::string>> begin(FileInfo info) {
    std::string path = root_ + "/" + info.path;
    PackEntry entry{.kind = info.kind, .mode = info.mode, .path = std::move(info.path)};
    if (info.kind == FileInfo::kSymlink) {
      ATOLL_CO_TRY(FileInfo link, co_await sandbox_->stat(std::move(path)));
      entry.target = std::move(link.target);
    } else if (info.kind == FileInfo::kFile) {
      entry.size = left_ = info.size;
      ATOLL_CO_TRY(file_, co_await sandbox_->get_file(std::move(path)));
    }
    co_return guest::pack_entry(entry);
  }

  sandbox::Sandbox* sandbox_;
  std::string root_;
  std::vector<FileInfo> entries_;
  std::size_t next_ = 0;
  std::unique_ptr<ByteStream> file_;
  std::uint64_t left_ = 0;
  bool ended_ = false;
};

}  // namespace

Task<Result<std::unique_ptr<ByteStream>>> RemoteSandbox::put_tree(std::string path) {
  ATOLL_CO_TRY(std::string root, absolute(path));
  ATOLL_CO_TRY(std::shared_ptr<Execd> execd, agent());
  ATOLL_CO_TRY(FileInfo info, co_await stat(root));
  if (info.kind != FileInfo::kDirectory) co_return fail(Code::kInvalidArgument, "not a folder");
  co_return std::make_unique<TreePut>(this, std::move(execd), std::move(root));
}

Task<Result<std::unique_ptr<ByteStream>>> RemoteSandbox::get_tree(std::string path) {
  ATOLL_CO_TRY(std::string root, absolute(path));
  ATOLL_CO_TRY(std::vector<FileInfo> entries, co_await list(root, kAllLevels, kMostEntries));
  std::ranges::sort(entries, {}, &FileInfo::path);  // parents before what they hold
  co_return std::make_unique<TreeGet>(this, std::move(root), std::move(entries));
}

}  // namespace atl::backends::opensandbox
