#include "contexts/test_sandbox.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace atl::contexts {

using async::Task;
using sandbox::OutputStream;

namespace {

class TestProcess final : public sandbox::Process {
 public:
  explicit TestProcess(std::shared_ptr<TestDriver> driver) : driver_(std::move(driver)) {}

  std::uint64_t exec_id() const override { return driver_->exec_id; }
  int pid() const override { return 1; }
  Task<Result<sandbox::OutputChunk>> read() override {
    while (driver_->output.empty() && !driver_->exit) co_await driver_->changed.wait();
    if (driver_->output.empty()) co_return sandbox::OutputChunk{};
    sandbox::OutputChunk chunk = std::move(driver_->output.front());
    driver_->output.pop_front();
    co_return chunk;
  }
  Task<Result<void>> write_stdin(std::string bytes) override;
  Task<Result<void>> close_stdin() override { co_return Result<void>(); }
  void acknowledge_control(std::size_t bytes) override { driver_->control_acknowledged += bytes; }
  void settle() override {}
  Task<Result<void>> signal(int number) override {
    if (driver_->exit) co_return fail(Code::kNotFound, "it has ended");
    driver_->signals.push_back(number);
    if (number == SIGKILL) driver_->end(128 + SIGKILL, SIGKILL);
    if (number == SIGINT && driver_->running && !driver_->deaf) {
      driver_->say("error", R"({"ename":"KeyboardInterrupt","evalue":"","traceback":""})");
      driver_->done(130);
    }
    co_return Result<void>();
  }
  Task<Result<void>> resize(sandbox::TerminalSize) override { co_return Result<void>(); }
  Task<Result<sandbox::ExitStatus>> wait() override { co_return driver_->exit.value(); }

 private:
  std::shared_ptr<TestDriver> driver_;
};

// True when the code goes on after this line.
bool obey(TestDriver& driver, const std::string& line) {
  std::string word = line.substr(0, line.find(' '));
  std::string rest = word.size() < line.size() ? line.substr(word.size() + 1) : "";
  if (word == "print") driver.print(rest + "\n");
  if (word == "raw") {
    std::ranges::replace(rest, '|', '\n');
    driver.say(rest);
  }
  if (word == "result" || word == "display") driver.say(word.c_str(), rest);
  if (word == "error") driver.say("error", "{\"ename\":\"" + rest + "\"}");
  if (word == "deaf") driver.deaf = true;
  if (word == "flood") {
    for (int i = std::atoi(rest.c_str()); i > 0; --i) driver.print(std::string(1024, 'f'));
  }
  if (word == "exit") driver.end(std::atoi(rest.c_str()));
  if (word == "die") driver.end(128 + std::atoi(rest.c_str()), std::atoi(rest.c_str()));
  if (word == "oom") driver.end(137, SIGKILL, true);
  return word != "wait" && !driver.exit;
}

Task<Result<void>> TestProcess::write_stdin(std::string bytes) {
  TestDriver& driver = *driver_;
  if (driver.exit) co_return fail(Code::kIo, "the reader of this stream is gone");
  if (bytes == kSettledMessage) {
    ++driver.settled;
    co_return Result<void>();
  }
  driver.input += bytes;
  std::size_t end = driver.input.find('\n');
  std::size_t length = std::strtoul(driver.input.c_str() + 4, nullptr, 10);
  if (!driver.input.starts_with("run ") || driver.input.size() < end + 1 + length) {
    co_return fail(Code::kIo, "the driver cannot read this");
  }
  std::string code = driver.input.substr(end + 1, length);
  driver.input.erase(0, end + 1 + length);
  driver.codes.push_back(code);
  driver.running = true;
  ++driver.count;
  bool going = true;
  for (std::size_t at = 0; going && at < code.size();) {
    std::size_t stop = std::min(code.find('\n', at), code.size());
    going = obey(driver, code.substr(at, stop - at));
    at = stop + 1;
  }
  if (going) driver.done(0);
  co_return Result<void>();
}

}  // namespace

void TestDriver::print(std::string bytes) {
  output.push_back({.stream = OutputStream::kStdout, .bytes = std::move(bytes)});
  changed.notify_all();
}

void TestDriver::say(std::string bytes) {
  output.push_back({.stream = OutputStream::kControl, .bytes = std::move(bytes)});
  changed.notify_all();
}

void TestDriver::say(const char* word, const std::string& body) {
  say(std::string(word) + " " + std::to_string(body.size()) + "\n" + body);
}

void TestDriver::done(int exit_code) {
  running = false;
  say("done", "{\"execution_count\":" + std::to_string(count) +
                  ",\"exit_code\":" + std::to_string(exit_code) + figures + "}");
}

void TestDriver::end(int exit_code, int signal, bool oom) {
  running = false;
  exit = sandbox::ExitStatus{
      .exit_code = exit_code, .signal = signal, .oom = oom, .cpu_user = std::chrono::seconds(7)};
  changed.notify_all();
}

TestSandbox::Answer<std::unique_ptr<sandbox::Process>> TestSandbox::spawn(
    sandbox::ExecRequest request) {
  if (spawn_error) co_return fail(*spawn_error);
  auto driver = std::make_shared<TestDriver>();
  drivers.push_back(driver);
  driver->exec_id = drivers.size();
  driver->request = std::move(request);
  std::string how = drivers.size() <= next_starts.size() ? next_starts[drivers.size() - 1] : "";
  if (how == "die") {
    driver->output.push_back({.stream = OutputStream::kStderr, .bytes = "no room\nto start\n"});
    driver->end(1);
  } else if (how != "silent") {
    driver->say("ready", R"({"language":"test","version":"1.0"})");
  }
  co_return std::make_unique<TestProcess>(driver);
}

TestSandbox::Answer<std::unique_ptr<sandbox::Process>> TestSandbox::attach(std::uint64_t exec_id) {
  if (exec_id == 0 || exec_id > drivers.size()) co_return fail(Code::kNotFound, "no execution");
  co_return std::make_unique<TestProcess>(drivers[exec_id - 1]);
}

TestSandbox::Answer<std::vector<sandbox::ExecutionInfo>> TestSandbox::executions() {
  std::vector<sandbox::ExecutionInfo> all;
  for (const auto& driver : drivers) {
    all.push_back({.exec_id = driver->exec_id, .running = !driver->exit});
  }
  co_return all;
}

}  // namespace atl::contexts
