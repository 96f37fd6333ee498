#include "contexts/contexts.hpp"

#include <utility>

namespace atl::contexts {

using async::Task;

// Counts a context that is being opened.
class Contexts::Reservation {
 public:
  explicit Reservation(Contexts* owner) : owner_(owner) { ++owner_->opening_; }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() { --owner_->opening_; }

 private:
  Contexts* owner_;
};

Result<void> Contexts::check_room() const {
  if (slots_.size() + opening_ < kMaxContexts) return {};
  return fail(Code::kResourceExhausted, "a session has at most " + std::to_string(kMaxContexts) +
                                            " contexts; close one first");
}

Result<std::shared_ptr<Context>> Contexts::find(const ContextId& id) const {
  auto found = slots_.find(id);
  if (found == slots_.end()) {
    return fail(Code::kNotFound, "there is no context \"" + id.str().substr(0, 80) + "\"");
  }
  return found->second.context;
}

Task<Result<ContextId>> Contexts::open(ContextOptions options) {
  ATOLL_CO_CHECK(check_room());
  Reservation reserved(this);
  std::string cwd = options.cwd;
  ATOLL_CO_TRY(std::unique_ptr<Context> context,
               co_await Context::open(sandbox_, std::move(options)));
  ContextId id = ContextId::make();
  slots_.emplace(id, Slot{.context = std::move(context), .cwd = std::move(cwd)});
  co_return id;
}

Task<Result<ContextId>> Contexts::default_of(Language language,
                                             std::map<std::string, std::string> env) {
  // Whoever comes first opens it, the others wait for him.
  for (;;) {
    auto found = defaults_.find(language);
    if (found == defaults_.end()) break;
    if (!found->second.empty()) co_return found->second;
    co_await changed_.wait();
  }
  struct Claim {
    Contexts* owner;
    Language language;
    ContextId id;
    ~Claim() {
      if (id.empty()) {
        owner->defaults_.erase(language);
      } else {
        owner->defaults_.insert_or_assign(language, id);
      }
      owner->changed_.notify_all();
    }
  };
  defaults_.emplace(language, ContextId());
  Claim claim{.owner = this, .language = language, .id = {}};
  ATOLL_CO_TRY(claim.id, co_await open({.language = language, .env = std::move(env)}));
  co_return claim.id;
}

Task<Result<std::optional<RunResult>>> Contexts::reattach(ContextId id, std::uint64_t exec_id,
                                                          ContextOptions options, bool is_default) {
  if (slots_.contains(id)) co_return fail(Code::kAlreadyExists, "the context is attached already");
  ATOLL_CO_CHECK(check_room());
  Reservation reserved(this);
  std::string cwd = options.cwd;
  Language language = options.language;
  ATOLL_CO_TRY(Context::Reattached found,
               co_await Context::reattach(sandbox_, exec_id, std::move(options)));
  if (is_default) defaults_.emplace(language, id);
  slots_.emplace(std::move(id), Slot{.context = std::move(found.context), .cwd = std::move(cwd)});
  co_return std::move(found.last);
}

// Each call holds the context: somebody may close it meanwhile.
Task<Result<RunResult>> Contexts::run(ContextId id, RunRequest request) {
  ATOLL_CO_TRY(std::shared_ptr<Context> context, find(id));
  co_return co_await context->run(std::move(request));
}

Task<Result<bool>> Contexts::interrupt(ContextId id, std::shared_ptr<RunPlace> place) {
  ATOLL_CO_TRY(std::shared_ptr<Context> context, find(id));
  co_return co_await context->interrupt(std::move(place));
}

Task<Result<void>> Contexts::restart(ContextId id) {
  ATOLL_CO_TRY(std::shared_ptr<Context> context, find(id));
  co_return co_await context->restart();
}

Task<Result<void>> Contexts::close(ContextId id) {
  ATOLL_CO_TRY(std::shared_ptr<Context> context, find(id));
  slots_.erase(id);
  std::erase_if(defaults_, [&](const auto& entry) { return entry.second == id; });
  co_return co_await context->close();
}

Task<Result<void>> Contexts::close_all() {
  Result<void> outcome;
  while (!slots_.empty()) {
    ContextId id = slots_.begin()->first;
    Result<void> closed = co_await close(std::move(id));
    if (!closed && outcome) outcome = std::move(closed);
  }
  co_return outcome;
}

ContextInfo Contexts::describe(const ContextId& id, const Slot& slot) const {
  auto chosen = defaults_.find(slot.context->language());
  return {.id = id,
          .language = slot.context->language(),
          .cwd = slot.cwd,
          .version = slot.context->version(),
          .is_default = chosen != defaults_.end() && chosen->second == id,
          .running = slot.context->running(),
          .waiting = slot.context->waiting(),
          .exec_id = slot.context->exec_id()};
}

Result<ContextInfo> Contexts::info(const ContextId& id) const {
  ATOLL_CHECK(find(id));
  return describe(id, slots_.at(id));
}

std::vector<ContextInfo> Contexts::list() const {
  std::vector<ContextInfo> all;
  for (const auto& [id, slot] : slots_) all.push_back(describe(id, slot));
  return all;
}

}  // namespace atl::contexts
