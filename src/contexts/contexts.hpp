// The contexts of one session by id. Several run side by side; each has its own interpreter. Called
// on the I/O thread of the sandbox, which must outlive this object and every call.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/event.hpp"
#include "base/ids.hpp"
#include "contexts/context.hpp"

namespace atl::contexts {

struct ContextInfo {
  ContextId id;
  Language language = Language::kPython;
  std::string cwd;
  std::string version;
  bool is_default = false;
  bool running = false;
  std::size_t waiting = 0;
  std::uint64_t exec_id = 0;
};

class Contexts {
 public:
  static constexpr std::size_t kMaxContexts = 16;

  explicit Contexts(sandbox::Sandbox* sandbox) : sandbox_(sandbox) {}
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  // kResourceExhausted beyond kMaxContexts, and whatever Context::open says.
  async::Task<Result<ContextId>> open(ContextOptions options);
  // The context for runs that name none: opened when it is first asked for, with this environment.
  async::Task<Result<ContextId>> default_of(Language language,
                                            std::map<std::string, std::string> env = {});
  // After a crash of the server: what the guest still had of the last run.
  async::Task<Result<std::optional<RunResult>>> reattach(ContextId id, std::uint64_t exec_id,
                                                         ContextOptions options,
                                                         bool is_default = false);

  // These end with kNotFound for an id that is unknown or gone.
  async::Task<Result<RunResult>> run(ContextId id, RunRequest request);
  async::Task<Result<bool>> interrupt(ContextId id, std::shared_ptr<RunPlace> place = nullptr);
  async::Task<Result<void>> restart(ContextId id);
  async::Task<Result<void>> close(ContextId id);
  Result<ContextInfo> info(const ContextId& id) const;

  async::Task<Result<void>> close_all();
  std::vector<ContextInfo> list() const;  // the oldest first

 private:
  struct Slot {
    std::shared_ptr<Context> context;
    std::string cwd;
  };
  class Reservation;

  Result<std::shared_ptr<Context>> find(const ContextId& id) const;
  Result<void> check_room() const;
  ContextInfo describe(const ContextId& id, const Slot& slot) const;

  sandbox::Sandbox* sandbox_;
  std::map<ContextId, Slot> slots_;
  std::map<Language, ContextId> defaults_;  // empty while it is being opened
  std::size_t opening_ = 0;
  async::Event changed_;  // defaults_
};

}  // namespace atl::contexts
