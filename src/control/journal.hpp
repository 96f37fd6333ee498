// The output of executions as it comes, one file each. What is more than a spool holds in memory
// lies here; and of executions that clients know of, all of it: should the server be killed, the
// next one finds what they had printed by then. A file goes with its execution's end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "model/execution.hpp"
#include "node/quotas.hpp"

namespace atl::control {

enum class SpoolKind { kStdout, kStderr, kResult, kDisplay, kError, kEnd };

struct SpoolEvent {
  std::uint64_t number = 0;  // 1, 2, …: what a reader says to go on behind it
  SpoolKind kind = SpoolKind::kEnd;
  std::string data;  // bytes of a stream, or JSON
};

// One file, written at its end. Reads see what was written before.
class Journal {
 public:
  Journal() = default;
  explicit Journal(UniqueFd file) : file_(std::move(file)) {}

  explicit operator bool() const { return static_cast<bool>(file_); }
  std::uint64_t size() const { return size_; }
  int descriptor() const { return file_.get(); }  // for a JournalReader
  // False: the disk did not take it, and the file is as before.
  bool append(std::uint64_t number, SpoolKind kind, std::string_view bytes);
  // The streams as they are now, `stdout_size` and `stderr_size` bytes of them.
  std::shared_ptr<const model::LargeOutput> output(std::uint64_t stdout_size,
                                                   std::uint64_t stderr_size) const;

 private:
  UniqueFd file_;
  std::uint64_t size_ = 0;
};

// Piece after piece, through a window.
class JournalReader {
 public:
  explicit JournalReader(int file) : file_(file) {}

  // The next piece that is whole before `end`, without its data; false: there is none yet.
  bool next(std::uint64_t end, SpoolEvent& event);
  std::uint64_t data_at() const { return data_at_; }
  std::uint64_t data_size() const { return data_size_; }
  std::string data();  // of the piece that next() found

 private:
  bool look(std::uint64_t at, std::size_t size);  // it is in the window

  int file_;
  std::uint64_t at_ = 0;
  std::uint64_t data_at_ = 0;
  std::uint64_t data_size_ = 0;
  std::string window_;
  std::uint64_t window_at_ = 0;
};

class Journals {
 public:
  explicit Journals(std::string folder, node::SpaceFloor floor = {})
      : folder_(std::move(folder)), floor_(floor) {}

  bool kept() const { return !folder_.empty(); }
  // A failure leaves an execution without a journal, which is not worth its life.
  Journal begin(const ExecutionId& id) const;
  bool has_room() const;
  void remove(const ExecutionId& id) const;
  // What a killed server left of it; an unfinished last piece is dropped.
  model::Output read(const ExecutionId& id) const;
  // When it last grew; nothing when there is none.
  std::optional<model::Time> last_written(const ExecutionId& id) const;
  // At a start, when nothing runs: what no execution of this list owns.
  void keep_only(const std::set<std::string>& ids) const;

 private:
  std::string path(const ExecutionId& id) const { return folder_ + "/" + id.str(); }

  std::string folder_;
  node::SpaceFloor floor_;
};

}  // namespace atl::control
