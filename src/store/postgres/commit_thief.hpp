// Stands between a client and PostgreSQL on a Unix socket and cuts the connection at the worst
// moment. For tests.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"

namespace atl::store::postgres {

class CommitThief {
 public:
  enum class Steal {
    kNothing,
    kRequest,  // the server never hears of the next COMMIT
    kAnswer,   // it commits, and the client never hears of that
  };

  // `server` is the folder of the server's socket, `folder` where this one shall be.
  CommitThief(std::string server, std::string folder);
  CommitThief(const CommitThief&) = delete;
  CommitThief& operator=(const CommitThief&) = delete;
  ~CommitThief();

  void steal_next(Steal what) { next_ = what; }
  bool has_stolen() const { return next_ == Steal::kNothing; }

 private:
  void accept_all();
  void serve(UniqueFd client);

  std::string server_;
  std::atomic<Steal> next_ = Steal::kNothing;
  std::atomic<bool> ending_ = false;
  UniqueFd listener_;
  std::vector<std::thread> connections_;
  std::thread accepting_;
};

}  // namespace atl::store::postgres
