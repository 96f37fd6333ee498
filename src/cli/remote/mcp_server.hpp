// A server that this process starts for itself alone. It ends with the process, however that ends:
// it reads from a pipe whose other end only this process has. On the I/O thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/child.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "client/api.hpp"

namespace atl::cli {

class OwnServer {
 public:
  struct Options {
    std::string data;               // empty: a temporary folder
    std::vector<std::string> sets;  // of its configuration
  };
  OwnServer(async::Executor executor, Options options)
      : executor_(std::move(executor)), options_(std::move(options)) {}
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  // Where it listens, with its key. Starts it when it does not run. `again`: it did not answer.
  async::Task<Result<client::Address>> address(bool again = false);
  // Ends it, and waits until it has ended.
  async::Task<void> stop();

 private:
  async::Task<Result<void>> start();
  async::Task<Result<std::string>> make_key();
  Result<void> make_folder();
  async::Task<void> see_whether_it_ends();
  bool runs() const;

  async::Executor executor_;
  Options options_;
  std::string folder_;
  Child child_;
  UniqueFd lifeline_;
  client::Address address_;
};

}  // namespace atl::cli
