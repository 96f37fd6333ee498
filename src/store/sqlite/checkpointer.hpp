// Copies SQLite's log into the database file on a thread of its own, while others read and write.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "store/sqlite/handle.hpp"

namespace atl::store::sqlite {

// What the log has when it is copied into the file, and a little more.
inline constexpr int kPagesToCopy = 1000;
inline constexpr off_t kLogBytes = 5 << 20;

class Checkpointer {
 public:
  explicit Checkpointer(Handle handle);
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;
  ~Checkpointer();

  // After a commit, from the writer's thread. A log that outgrows this thread is copied by the
  // writer itself: when nobody writes meanwhile it can start from its beginning again.
  void log_has(int pages, sqlite3* writer);

 private:
  void work();

  Handle handle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace atl::store::sqlite
