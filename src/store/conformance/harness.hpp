// What the cases share. A test program links them (atoll_store_conformance) and says which database
// they run against by defining tested_database().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "async/task.hpp"
#include "store/connection.hpp"
#include "store/store.hpp"

namespace atl::store {

class TestedDatabase {
 public:
  virtual ~TestedDatabase() = default;
  // Of a database that is empty and nobody else's; empty for SQLite, which is in the data folder.
  virtual std::string fresh_url() = 0;
  virtual Result<std::unique_ptr<Connection>> connect(const std::string& url,
                                                      const std::string& data_folder) = 0;
};
TestedDatabase& tested_database();

class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The I/O thread: one for the whole program, because a store's threads post to it until they end.
class Loop {
 public:
  static void run(async::Task<void> task);
};

namespace detail {
template <typename T>
async::Task<void> keep(async::Task<T> task, std::optional<T>* result) {
  result->emplace(co_await std::move(task));
}
}  // namespace detail

// Runs one task to its end on the I/O thread.
template <typename T>
T wait(async::Task<T> task) {
  if constexpr (std::is_void_v<T>) {
    Loop::run(std::move(task));
  } else {
    std::optional<T> result;
    Loop::run(detail::keep(std::move(task), &result));
    return std::move(*result);
  }
}

// The value, or an exception that fails the test with the error's text.
void require(bool ok, const Error* error);
template <typename T>
T must(Result<T> result) {
  require(result.has_value(), result ? nullptr : &result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}
template <typename T>
Code code_of(const Result<T>& result) {
  return result ? Code::kOk : result.error().code();
}

class StoreCase : public testing::Test {
 protected:
  StoreCase();
  ~StoreCase() override;

  Store& store() { return *store_; }
  StoreOptions options() const { return {.url = url_, .data_folder = folder_.path()}; }
  void open();
  void close();
  void reopen() {
    close();
    open();
  }
  template <typename... Changes>
  Result<void> write(Changes... changes) {
    std::vector<Change> list;
    (list.emplace_back(std::move(changes)), ...);
    return wait(store_->write(std::move(list)));
  }
  // How many files there are below DATA/outputs.
  std::size_t output_files() const;

  TempFolder folder_;
  std::string url_;
  std::unique_ptr<Store> store_;
};

inline Time at(std::int64_t ms) { return Time(std::chrono::milliseconds(ms)); }
model::Session make_session(std::string tenant = "default");
model::Execution make_execution(const model::Session& session);
model::Output make_output(std::size_t size, const std::string& seed);

}  // namespace atl::store
