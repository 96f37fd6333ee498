#include "backends/opensandbox/file_streams.hpp"

#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <utility>

#include "async/deadline.hpp"
#include "async/event.hpp"
#include "backends/opensandbox/script.hpp"
#include "base/ids.hpp"

namespace atl::backends::opensandbox {

using async::Task;

namespace {

constexpr std::size_t kMaxQueued = 1024 * 1024;
constexpr std::chrono::seconds kSilence{120};

// $1 scratch file, $2 its place, $3 mode.
constexpr std::string_view kIntoPlace = R"(
trap 'rm -f -- "$1"' EXIT
if [ -d "$2" ]; then echo 'Is a directory' >&2; exit 1; fi
words=$(mkdir -p -- "${2%/*}/" 2>&1) || { echo "$words" | sed 's/File exists/Not a directory/' >&2; exit 1; }
chmod -- "$3" "$1" && mv -f -- "$1" "$2"
)";

// What the caller has written and the request has not taken yet.
struct Queue {
  std::deque<std::string> pieces;
  std::size_t size = 0;
  std::size_t at = 0;  // of the first piece
  bool complete = false;
  bool abandoned = false;
  std::optional<Result<void>> outcome;
  async::Event changed;
};

Task<Result<std::size_t>> take(std::shared_ptr<Queue> queue, std::span<char> into) {
  while (queue->pieces.empty() && !queue->complete && !queue->abandoned) {
    co_await queue->changed.wait();
  }
  if (queue->abandoned) co_return fail(Code::kCancelled, "the upload was given up");
  if (queue->pieces.empty()) co_return 0;
  const std::string& piece = queue->pieces.front();
  std::size_t size = std::min(into.size(), piece.size() - queue->at);
  std::memcpy(into.data(), piece.data() + queue->at, size);
  queue->at += size;
  queue->size -= size;
  if (queue->at == piece.size()) {
    queue->pieces.pop_front();
    queue->at = 0;
  }
  queue->changed.notify_all();
  co_return size;
}

Task<void> send(std::shared_ptr<Queue> queue, std::shared_ptr<Execd> execd, std::string path) {
  Result<void> sent = co_await execd->upload(
      std::move(path), [queue](std::span<char> into) { return take(queue, into); });
  queue->outcome = std::move(sent);
  queue->changed.notify_all();
}

class Upload final : public sandbox::ByteStream {
 public:
  Upload(std::shared_ptr<async::TaskGroup> tasks, std::shared_ptr<Execd> execd, std::string path,
         std::uint32_t mode)
      : tasks_(std::move(tasks)), execd_(std::move(execd)), path_(std::move(path)), mode_(mode) {
    if (!tasks_->spawn(send(queue_, execd_, scratch_))) {
      queue_->outcome = fail(Code::kNotStarted, "the sandbox is not running");
    }
  }
  ~Upload() override {
    queue_->abandoned = true;
    queue_->changed.notify_all();
  }

  Task<Result<std::string>> read() override { co_return std::string(); }

  Task<Result<void>> write(std::string bytes) override {
    if (bytes.empty()) co_return Result<void>();
    while (queue_->size > kMaxQueued && !queue_->outcome) ATOLL_CO_CHECK(co_await progress());
    if (queue_->outcome && !*queue_->outcome) co_return *queue_->outcome;
    queue_->size += bytes.size();
    queue_->pieces.push_back(std::move(bytes));
    queue_->changed.notify_all();
    co_return Result<void>();
  }

  Task<Result<void>> finish() override {
    queue_->complete = true;
    queue_->changed.notify_all();
    while (!queue_->outcome) ATOLL_CO_CHECK(co_await progress());
    ATOLL_CO_CHECK(*queue_->outcome);
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", mode_ & 07777);
    ATOLL_CO_CHECK(co_await execd_->run_well(with_words(kIntoPlace, {scratch_, path_, mode})));
    co_return Result<void>();
  }

 private:
  static Task<Result<void>> change(std::shared_ptr<Queue> queue) {
    co_await queue->changed.wait();
    co_return Result<void>();
  }
  Task<Result<void>> progress() {
    co_return co_await async::with_deadline(change(queue_), async::deadline_in(kSilence),
                                            Code::kTransferTimeout,
                                            "the sandbox takes no more of the file");
  }

  std::shared_ptr<async::TaskGroup> tasks_;
  std::shared_ptr<Execd> execd_;
  std::string path_;
  std::uint32_t mode_;
  std::string scratch_ = scratch_path();
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
};

class Download final : public sandbox::ByteStream {
 public:
  explicit Download(http::ClientResponse response) : response_(std::move(response)) {}

  Task<Result<std::string>> read() override {
    if (response_.status() == 416) co_return std::string();  // the part begins behind the end
    std::string bytes(64 * 1024, '\0');
    ATOLL_CO_TRY(std::size_t size,
                 co_await response_.read_some(bytes, async::deadline_in(kSilence)));
    bytes.resize(size);
    co_return bytes;
  }
  Task<Result<void>> write(std::string) override {
    co_return fail(Code::kInvalidArgument, "this file is only read");
  }
  Task<Result<void>> finish() override { co_return Result<void>(); }

 private:
  http::ClientResponse response_;
};

}  // namespace

std::unique_ptr<sandbox::ByteStream> make_upload(std::shared_ptr<async::TaskGroup> tasks,
                                                 std::shared_ptr<Execd> execd, std::string path,
                                                 std::uint32_t mode) {
  return std::make_unique<Upload>(std::move(tasks), std::move(execd), std::move(path), mode);
}

std::unique_ptr<sandbox::ByteStream> make_download(http::ClientResponse response) {
  return std::make_unique<Download>(std::move(response));
}

std::string scratch_path() { return "/tmp/.atoll-" + make_sortable_id(); }

}  // namespace atl::backends::opensandbox
