#include "control/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>

namespace atl::control {
namespace {

using Part = model::LargeOutput::Part;

constexpr std::size_t kWindow = 64u << 10;
constexpr std::uint32_t kMark = 0x61740000;  // pieces of older versions had none
constexpr std::uint32_t kMarkBits = 0xffff0000;

struct Piece {
  std::uint32_t kind = 0;
  std::uint32_t size = 0;
  std::uint64_t number = 0;
};

// The bytes that are there, perhaps fewer.
std::string read_at(int file, std::uint64_t at, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    ssize_t got = ::pread(file, bytes.data() + have, size - have, static_cast<off_t>(at + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

bool belongs_to(SpoolKind kind, Part part) {
  if (kind == SpoolKind::kStdout) return part != Part::kStderr;
  return kind == SpoolKind::kStderr && part != Part::kStdout;
}

// A file of pieces as streams. Reading on from the end of an earlier read costs what is read.
class JournalOutput final : public model::LargeOutput {
 public:
  JournalOutput(UniqueFd file, std::uint64_t end, std::uint64_t stdout_size,
                std::uint64_t stderr_size)
      : file_(std::move(file)), end_(end), stdout_(stdout_size), stderr_(stderr_size) {}

  std::uint64_t size(Part part) const override {
    if (part == Part::kMerged) return stdout_ + stderr_;
    return part == Part::kStdout ? stdout_ : stderr_;
  }

  Result<std::string> read(Part part, std::uint64_t offset, std::size_t most) const override {
    std::lock_guard lock(mutex_);
    if (!walk_ || walk_->part != part || walk_->passed > offset) walk_.emplace(part, file_.get());
    std::string bytes;
    std::uint64_t end = std::min<std::uint64_t>(size(part), offset + most);
    while (offset + bytes.size() < end) {
      std::uint64_t wanted = offset + bytes.size();
      if (wanted >= walk_->passed + walk_->size) {
        if (!walk_->step(end_)) return fail(Code::kIo, "an output is shorter than it was");
        continue;
      }
      std::uint64_t skip = wanted - walk_->passed;
      std::string part_of = read_at(file_.get(), walk_->reader.data_at() + skip,
                                    std::min(walk_->size - skip, end - wanted));
      if (part_of.empty()) return fail(Code::kIo, "an output cannot be read");
      bytes += part_of;
    }
    return bytes;
  }

 private:
  // At one piece of a part.
  struct Walk {
    Walk(Part which, int file) : part(which), reader(file) {}
    bool step(std::uint64_t end) {
      passed += size;
      size = 0;
      for (SpoolEvent event; reader.next(end, event);) {
        if (!belongs_to(event.kind, part)) continue;
        size = reader.data_size();
        return true;
      }
      return false;
    }

    Part part;
    JournalReader reader;
    std::uint64_t passed = 0;  // bytes of the part before this piece
    std::uint64_t size = 0;    // of this piece
  };

  UniqueFd file_;
  std::uint64_t end_;
  std::uint64_t stdout_;
  std::uint64_t stderr_;
  mutable std::mutex mutex_;
  mutable std::optional<Walk> walk_;
};

}  // namespace

// One write: a killed process leaves a piece whole or cut, never mixed with another.
bool Journal::append(std::uint64_t number, SpoolKind kind, std::string_view bytes) {
  Piece piece{kMark | static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(bytes.size()),
              number};
  iovec parts[] = {{&piece, sizeof piece}, {const_cast<char*>(bytes.data()), bytes.size()}};
  std::uint64_t all = sizeof piece + bytes.size();
  ssize_t written = ::pwritev(file_.get(), parts, 2, static_cast<off_t>(size_));
  if (written < 0 || static_cast<std::uint64_t>(written) != all) {
    (void)!::ftruncate(file_.get(), static_cast<off_t>(size_));
    return false;
  }
  size_ += all;
  return true;
}

std::shared_ptr<const model::LargeOutput> Journal::output(std::uint64_t stdout_size,
                                                          std::uint64_t stderr_size) const {
  UniqueFd again(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
  return std::make_shared<JournalOutput>(std::move(again), size_, stdout_size, stderr_size);
}

bool JournalReader::look(std::uint64_t at, std::size_t size) {
  if (at >= window_at_ && at + size <= window_at_ + window_.size()) return true;
  window_ = read_at(file_, at, std::max(size, kWindow));
  window_at_ = at;
  return window_.size() >= size;
}

bool JournalReader::next(std::uint64_t end, SpoolEvent& event) {
  Piece piece;
  if (at_ + sizeof piece > end || !look(at_, sizeof piece)) return false;
  std::memcpy(&piece, window_.data() + (at_ - window_at_), sizeof piece);
  if ((piece.kind & kMarkBits) != kMark || piece.size > end - at_ - sizeof piece) return false;
  event.number = piece.number;
  event.kind = static_cast<SpoolKind>(std::min<std::uint32_t>(piece.kind & ~kMarkBits, 5));
  data_at_ = at_ + sizeof piece;
  data_size_ = piece.size;
  at_ = data_at_ + data_size_;
  return true;
}

std::string JournalReader::data() {
  if (!look(data_at_, data_size_)) return {};
  return window_.substr(data_at_ - window_at_, data_size_);
}

Journal Journals::begin(const ExecutionId& id) const {
  if (folder_.empty()) return Journal();
  int flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  UniqueFd file(::open(path(id).c_str(), flags, 0600));
  if (!file && errno == ENOENT && ::mkdir(folder_.c_str(), 0700) == 0) {
    file.reset(::open(path(id).c_str(), flags, 0600));
  }
  return Journal(std::move(file));
}

bool Journals::has_room() const {
  return node::check_space(folder_.substr(0, folder_.rfind('/')), floor_).has_value();
}

void Journals::remove(const ExecutionId& id) const {
  if (!folder_.empty()) ::unlink(path(id).c_str());
}

void Journals::keep_only(const std::set<std::string>& ids) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (!ids.contains(entry.path().filename().string())) ::unlink(entry.path().c_str());
  }
}

std::optional<model::Time> Journals::last_written(const ExecutionId& id) const {
  struct stat info{};
  if (folder_.empty() || ::stat(path(id).c_str(), &info) != 0) return std::nullopt;
  return model::Time(
      std::chrono::milliseconds(info.st_mtim.tv_sec * 1000LL + info.st_mtim.tv_nsec / 1'000'000));
}

model::Output Journals::read(const ExecutionId& id) const {
  model::Output output;
  UniqueFd file(::open(path(id).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0) return output;
  auto end = static_cast<std::uint64_t>(info.st_size);
  std::uint64_t sizes[2] = {};
  JournalReader reader(file.get());
  for (SpoolEvent event; reader.next(end, event);) {
    bool is_stderr = event.kind == SpoolKind::kStderr;
    if (is_stderr || event.kind == SpoolKind::kStdout) sizes[is_stderr] += reader.data_size();
  }
  auto all = std::make_shared<JournalOutput>(std::move(file), end, sizes[0], sizes[1]);
  if (sizes[0] + sizes[1] > model::kMaxOutputInMemory) {
    output.large = std::move(all);
    return output;
  }
  output.stdout_bytes = all->read(Part::kStdout, 0, sizes[0]).value_or("");
  output.stderr_bytes = all->read(Part::kStderr, 0, sizes[1]).value_or("");
  output.merged = all->read(Part::kMerged, 0, sizes[0] + sizes[1]).value_or("");
  return output;
}

}  // namespace atl::control
