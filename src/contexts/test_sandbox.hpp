// A sandbox without processes: its only program is a driver of a few lines, which does at once what
// the code asks for. For what real interpreters do not do on demand.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "contexts/message.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::contexts {

// What the test sees of one interpreter; it outlives the Process.
struct TestDriver {
  std::uint64_t exec_id = 0;
  sandbox::ExecRequest request;
  std::deque<sandbox::OutputChunk> output;
  std::optional<sandbox::ExitStatus> exit;
  std::vector<std::string> codes;  // that it was given
  std::vector<int> signals;
  std::string input;
  int settled = 0;  // how often it was told that it has been read
  std::int64_t count = 0;
  std::string figures;  // members of `done`, from a comma on
  bool running = false;
  bool deaf = false;  // SIGINT does nothing
  std::size_t control_acknowledged = 0;
  async::Event changed;

  void print(std::string bytes);  // on descriptor 1
  void say(std::string bytes);    // on the control stream, as it is
  void say(const char* word, const std::string& body);
  void done(int exit_code);
  void end(int exit_code, int signal = 0, bool oom = false);
};

// Code for the driver, a command a line: `print TEXT`, `raw BYTES` (on the control stream; | is an
// end of line),
// `result JSON`, `display JSON`, `error NAME`, `wait` (until a signal), `deaf` (to SIGINT, from now
// on), `exit N`, `die SIGNAL`, `oom`, `flood N` (so many kilobytes).
class TestSandbox : public sandbox::Sandbox {
 public:
  std::vector<std::shared_ptr<TestDriver>> drivers;  // every one that was ever started
  std::vector<std::string> next_starts;              // how the next ones start: "", "die", "silent"
  std::optional<Error> spawn_error;

  template <typename T>
  using Answer = async::Task<Result<T>>;
  Answer<std::unique_ptr<sandbox::Process>> spawn(sandbox::ExecRequest request) override;
  Answer<std::unique_ptr<sandbox::Process>> attach(std::uint64_t exec_id) override;
  Answer<std::vector<sandbox::ExecutionInfo>> executions() override;

  const SandboxId& id() const override { return id_; }
  Answer<void> start() override { return none<void>(); }
  Answer<void> stop() override { return none<void>(); }
  bool is_running() const override { return true; }
  bool has_zygote = false;
  sandbox::Status status() const override { return {.has_zygote = has_zygote}; }
  Answer<sandbox::Usage> usage() override { return none<sandbox::Usage>(); }
  Answer<void> pause() override { return none<void>(); }
  Answer<void> resume() override { return none<void>(); }
  Answer<std::vector<sandbox::ProcessInfo>> processes() override {
    return none<std::vector<sandbox::ProcessInfo>>();
  }
  using Bytes = std::unique_ptr<sandbox::ByteStream>;
  using Files = std::vector<sandbox::FileInfo>;
  Answer<Bytes> put_file(std::string, std::uint32_t) override { return none<Bytes>(); }
  Answer<Bytes> get_file(std::string, std::uint64_t, std::uint64_t) override {
    return none<Bytes>();
  }
  Answer<Bytes> put_tree(std::string) override { return none<Bytes>(); }
  Answer<Bytes> get_tree(std::string) override { return none<Bytes>(); }
  Answer<sandbox::FileInfo> stat(std::string) override { return none<sandbox::FileInfo>(); }
  Answer<Files> list(std::string, std::uint32_t, std::size_t) override { return none<Files>(); }
  Answer<void> make_dir(std::string, std::uint32_t, bool) override { return none<void>(); }
  Answer<void> move(std::string, std::string, bool) override { return none<void>(); }
  Answer<void> remove(std::string, bool) override { return none<void>(); }
  Answer<void> chmod(std::string, std::uint32_t) override { return none<void>(); }
  Answer<Files> search(guest::SearchArgs) override { return none<Files>(); }
  Answer<std::unique_ptr<sandbox::Watch>> watch(std::string, bool) override {
    return none<std::unique_ptr<sandbox::Watch>>();
  }
  Answer<Bytes> connect(std::uint16_t) override { return none<Bytes>(); }

 private:
  template <typename T>
  static Answer<T> none() {
    co_return fail(Code::kUnsupported, "not in this sandbox");
  }

  SandboxId id_ = SandboxId::make();
};

}  // namespace atl::contexts
