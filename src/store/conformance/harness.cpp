#include "store/conformance/harness.hpp"

#include <stdlib.h>

#include <filesystem>
#include <future>
#include <stdexcept>
#include <thread>

#include <boost/asio/post.hpp>

#include "async/event.hpp"
#include "async/run.hpp"
#include "async/task_group.hpp"
#include "observe/log.hpp"

namespace atl::store {

namespace {

async::Task<void> finish(async::Task<void> task, std::promise<void>* done) {
  try {
    co_await std::move(task);
  } catch (...) {
    done->set_exception(std::current_exception());
    co_return;
  }
  done->set_value();
}

class IoThread {
 public:
  IoThread() {
    std::promise<void> started;
    thread_ = std::thread([this, &started] {
      async::run_to_end<void>([&](async::Executor executor) { return serve(executor, &started); });
    });
    started.get_future().wait();
  }
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;
  ~IoThread() = delete;  // ends with the program

  void run(async::Task<void> task) {
    std::promise<void> done;
    boost::asio::post(executor_, [&, work = std::move(task)]() mutable {
      tasks_->spawn(finish(std::move(work), &done));
    });
    done.get_future().get();
  }

 private:
  async::Task<void> serve(async::Executor executor, std::promise<void>* started) {
    async::TaskGroup tasks(executor);
    async::Event never;
    executor_ = executor;
    tasks_ = &tasks;
    started->set_value();
    for (;;) co_await never.wait();
  }

  async::Executor executor_;
  async::TaskGroup* tasks_ = nullptr;
  std::thread thread_;
};

}  // namespace

void Loop::run(async::Task<void> task) {
  // Never destroyed: whoever asked it to end would still be posting to it while it does.
  static IoThread& thread = *new IoThread;
  thread.run(std::move(task));
}

TempFolder::TempFolder()
    : path_((std::filesystem::temp_directory_path() / "atoll-store-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void require(bool ok, const Error* error) {
  if (!ok) throw std::runtime_error(error->to_string());
}

StoreCase::StoreCase() : url_(tested_database().fresh_url()) {
  log::set_level(log::Level::kError);
  open();
}

StoreCase::~StoreCase() {
  if (store_) close();
}

void StoreCase::open() { store_ = must(wait(open_store(options()))); }

void StoreCase::close() {
  wait(store_->close());
  store_.reset();
}

std::size_t StoreCase::output_files() const {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_.path() + "/outputs")) {
    if (entry.is_regular_file()) ++count;
  }
  return count;
}

model::Session make_session(std::string tenant) {
  model::Session session;
  session.id = SessionId::make();
  session.tenant = std::move(tenant);
  session.template_id = "python-default";
  session.state = model::SessionState::kReady;
  session.created_at = at(1'700'000'000'123);
  session.updated_at = session.created_at;
  return session;
}

model::Execution make_execution(const model::Session& session) {
  model::Execution execution;
  execution.id = ExecutionId::make();
  execution.session_id = session.id;
  execution.tenant = session.tenant;
  execution.state = model::ExecutionState::kCompleted;
  execution.request_json = R"({"command":"true"})";
  execution.created_at = session.created_at;
  return execution;
}

model::Output make_output(std::size_t size, const std::string& seed) {
  auto fill = [&](char mark) {
    std::string text = seed + mark;
    while (text.size() < size) text += text;
    text.resize(size);
    return text;
  };
  return {.stdout_bytes = fill('o'), .stderr_bytes = fill('e'), .merged = fill('m')};
}

}  // namespace atl::store
