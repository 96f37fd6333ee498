// The file operations of a GuestSandbox, and the streams that carry content.
#include <algorithm>
#include <utility>

#include "guest/wire.hpp"
#include "sandbox/exec_args.hpp"
#include "sandbox/guest_sandbox.hpp"
#include "sandbox/records.hpp"

namespace atl::sandbox {

using async::Task;
using guest::Op;

namespace {

// Content towards the guest; its reply comes after the end.
class Upload final : public ByteStream {
 public:
  explicit Upload(GuestChannel channel) : channel_(std::move(channel)) {}
  Task<Result<std::string>> read() override {
    co_return fail(Code::kUnsupported, "an upload cannot be read");
  }
  Task<Result<void>> write(std::string bytes) override { return channel_.write(std::move(bytes)); }
  Task<Result<void>> finish() override {
    channel_.end_input();
    ATOLL_CO_TRY([[maybe_unused]] std::string nothing, co_await channel_.reply());
    co_return Result<void>();
  }

 private:
  GuestChannel channel_;
};

// Content from the guest, and for a port also towards it; the reply came before.
class Download final : public ByteStream {
 public:
  // `promised`: fewer bytes than that are an error.
  Download(GuestChannel channel, bool both_ways, std::uint64_t promised)
      : channel_(std::move(channel)), both_ways_(both_ways), promised_(promised) {}
  Task<Result<std::string>> read() override {
    ATOLL_CO_TRY(Chunk chunk, co_await channel_.read());
    promised_ -= std::min<std::uint64_t>(promised_, chunk.bytes.size());
    if (chunk.stream == 0 && promised_ > 0) co_return fail(Code::kIo, "the file ended too early");
    co_return std::move(chunk.bytes);
  }
  Task<Result<void>> write(std::string bytes) override {
    if (!both_ways_) co_return fail(Code::kUnsupported, "a download cannot be written");
    co_return co_await channel_.write(std::move(bytes));
  }
  Task<Result<void>> finish() override {
    if (both_ways_) channel_.end_input();
    co_return Result<void>();
  }

 private:
  GuestChannel channel_;
  bool both_ways_;
  std::uint64_t promised_;
};

class GuestWatch final : public Watch {
 public:
  explicit GuestWatch(GuestChannel channel) : channel_(std::move(channel)) {}
  Task<Result<WatchEvent>> next() override {
    ATOLL_CO_TRY(std::optional<std::string_view> record,
                 co_await next_record(&channel_, &splitter_));
    if (!record) co_return fail(Code::kNotFound, "the watched path is gone");
    auto event = guest::decoded<WatchEvent>(*record);
    if (!event) co_return bad_record();
    co_return std::move(*event);
  }

 private:
  GuestChannel channel_;
  RecordSplitter splitter_;
};

Task<Result<std::unique_ptr<ByteStream>>> download(GuestChannel channel, bool both_ways) {
  ATOLL_CO_TRY([[maybe_unused]] std::string nothing, co_await channel.reply());
  co_return std::make_unique<Download>(std::move(channel), both_ways, 0);
}

}  // namespace

Task<Result<std::unique_ptr<ByteStream>>> GuestSandbox::put_file(std::string path,
                                                                 std::uint32_t mode) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::PutArgs args{.path = std::move(where), .mode = mode, .make_parents = 1};
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kFilePut, guest::encoded(args)));
  co_return std::make_unique<Upload>(std::move(channel));
}

Task<Result<std::unique_ptr<ByteStream>>> GuestSandbox::get_file(std::string path,
                                                                 std::uint64_t offset,
                                                                 std::uint64_t length) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::GetArgs args{.path = std::move(where), .offset = offset, .length = length};
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kFileGet, guest::encoded(args)));
  ATOLL_CO_TRY(std::string reply, co_await channel.reply());
  auto info = guest::decoded<FileInfo>(reply);
  if (!info) co_return bad_record();
  co_return std::make_unique<Download>(std::move(channel), false,
                                       std::min(length, info->size - std::min(offset, info->size)));
}

Task<Result<std::unique_ptr<ByteStream>>> GuestSandbox::put_tree(std::string path) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::Writer args;
  args.string(where);
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kTreePut, std::move(args).bytes()));
  co_return std::make_unique<Upload>(std::move(channel));
}

Task<Result<std::unique_ptr<ByteStream>>> GuestSandbox::get_tree(std::string path) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::Writer args;
  args.string(where);
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kTreeGet, std::move(args).bytes()));
  co_return co_await download(std::move(channel), false);
}

Task<Result<FileInfo>> GuestSandbox::stat(std::string path) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::Writer args;
  args.string(where).number(std::uint8_t{0});  // a symlink is reported as itself
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kStat, std::move(args).bytes()));
  ATOLL_CO_TRY(std::string reply, co_await channel.reply());
  auto info = guest::decoded<FileInfo>(reply);
  if (!info) co_return bad_record();
  co_return std::move(*info);
}

Task<Result<std::vector<FileInfo>>> GuestSandbox::list(std::string path, std::uint32_t depth,
                                                       std::size_t most) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::Writer args;
  args.string(where).number(depth);
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kList, std::move(args).bytes()));
  co_return co_await all_records<FileInfo>(std::move(channel), most);
}

Task<Result<void>> GuestSandbox::make_dir(std::string path, std::uint32_t mode, bool parents) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::Writer args;
  args.string(where).number(mode).number(static_cast<std::uint8_t>(parents));
  co_return co_await call(Op::kMkdir, std::move(args).bytes());
}

Task<Result<void>> GuestSandbox::move(std::string from, std::string to, bool overwrite) {
  ATOLL_CO_TRY(std::string source, box_path(from, workspace()));
  ATOLL_CO_TRY(std::string target, box_path(to, workspace()));
  guest::Writer args;
  args.string(source).string(target).number(static_cast<std::uint8_t>(overwrite));
  co_return co_await call(Op::kMove, std::move(args).bytes());
}

Task<Result<void>> GuestSandbox::remove(std::string path, bool recursive) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::Writer args;
  args.string(where).number(static_cast<std::uint8_t>(recursive));
  co_return co_await call(Op::kRemove, std::move(args).bytes());
}

Task<Result<void>> GuestSandbox::chmod(std::string path, std::uint32_t mode) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::Writer args;
  args.string(where).number(mode);
  co_return co_await call(Op::kChmod, std::move(args).bytes());
}

Task<Result<std::vector<FileInfo>>> GuestSandbox::search(guest::SearchArgs args) {
  ATOLL_CO_TRY(args.root, box_path(args.root.empty() ? workspace() : args.root, workspace()));
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kSearch, guest::encoded(args)));
  co_return co_await all_records<FileInfo>(std::move(channel));
}

Task<Result<std::unique_ptr<Watch>>> GuestSandbox::watch(std::string path, bool recursive) {
  ATOLL_CO_TRY(std::string where, box_path(path, workspace()));
  guest::Writer args;
  args.string(where).number(static_cast<std::uint8_t>(recursive));
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kWatch, std::move(args).bytes()));
  ATOLL_CO_TRY([[maybe_unused]] std::string nothing, co_await channel.reply());
  co_return std::make_unique<GuestWatch>(std::move(channel));
}

Task<Result<std::unique_ptr<ByteStream>>> GuestSandbox::connect(std::uint16_t port) {
  guest::Writer args;
  args.number(port);
  ATOLL_CO_TRY(GuestChannel channel, co_await open(Op::kConnect, std::move(args).bytes()));
  co_return co_await download(std::move(channel), true);
}

}  // namespace atl::sandbox
