// Changes below a folder: WatchDir as a stream, and watchers that are asked.
#include <utility>

#include "api/common/limits.hpp"
#include "api/common/text.hpp"
#include "api/e2b/entries.hpp"
#include "api/e2b/rpc.hpp"

namespace atl::api::e2b {

namespace {

using model::FileChange;

struct Wish {
  ClientPath folder;
  bool recursive = false;
  bool with_entry = false;
};

// The folder as control shows paths: relative to the workspace, or absolute.
std::string shown_folder(const ClientPath& folder) {
  std::string_view inside = folder.inside;
  if (!inside.starts_with(kWorkspace)) return std::string(inside);
  inside.remove_prefix(kWorkspace.size());
  return std::string(inside.substr(inside.empty() ? 0 : 1));
}

std::string_view type_name(FileChange::Kind kind) {
  switch (kind) {
    case FileChange::Kind::kCreated: return "EVENT_TYPE_CREATE";
    case FileChange::Kind::kModified: return "EVENT_TYPE_WRITE";
    case FileChange::Kind::kRemoved: return "EVENT_TYPE_REMOVE";
    case FileChange::Kind::kMoved: return "EVENT_TYPE_RENAME";
    case FileChange::Kind::kOverflow: return "EVENT_TYPE_UNSPECIFIED";
  }
  return "EVENT_TYPE_UNSPECIFIED";
}

Task<object> event_of(Call call, const FileChange* change, std::string folder, ClientPath asked,
                      bool with_entry) {
  object event{{"name", json_text(below(change->path, folder))}, {"type", type_name(change->kind)}};
  if (with_entry) {
    auto file = co_await call.control().files().info(call.caller, call.sandbox, change->path);
    if (file) {
      Answer<object> entry = co_await entry_of(call, std::move(asked), std::move(*file));
      if (entry) event["entry"] = std::move(*entry);
    }
  }
  co_return event;
}

Task<Answer<std::unique_ptr<Watchers::Changes>>> open(Call call, const object* message,
                                                      Wish* wish) {
  ATOLL_CO_CHECK(check_user(call.request()));
  ATOLL_CO_TRY(std::optional<std::string> path, text_member(*message, "path", kMaxPath));
  ATOLL_CO_TRY(std::optional<bool> recursive, flag_member(*message, "recursive"));
  ATOLL_CO_TRY(std::optional<bool> entry, flag_member(*message, "includeEntry"));
  *wish = {client_path(path.value_or("")), recursive.value_or(false), entry.value_or(false)};
  control::Files& files = call.control().files();
  {
    ATOLL_CO_TRY(control::OpenedFile found,
                 co_await files.open(call.caller, call.sandbox, wish->folder.inside));
    if (found.info().kind != model::File::Kind::kDirectory) {
      co_return refuse(Code::kInvalidArgument, "path is not a directory");
    }
  }
  ATOLL_CO_TRY(
      std::unique_ptr<Watchers::Changes> changes,
      co_await files.watch(call.caller, call.sandbox, wish->folder.inside, wish->recursive));
  co_return changes;
}

Task<Answer<void>> watch_dir(Call call, object message, StreamOut* out) {
  Wish wish;
  ATOLL_CO_TRY(std::unique_ptr<Watchers::Changes> changes, co_await open(call, &message, &wish));
  ATOLL_CO_TRY(std::optional<std::chrono::milliseconds> limit, timeout_of(call.request()));
  std::string folder = shown_folder(wish.folder);
  if (!co_await out->send({{"start", object()}})) co_return Answer<void>();
  StreamClock clock(call, limit);
  for (;;) {
    auto change = co_await async::with_deadline(changes->next(), clock.next(),
                                                Code::kTransferTimeout, "nothing changed");
    if (change && !*change) co_return Answer<void>();
    if (change) {
      object event = co_await event_of(call, &**change, folder, wish.folder, wish.with_entry);
      if (!co_await out->send({{"filesystem", std::move(event)}})) co_return Answer<void>();
      clock.said_something();
      continue;
    }
    if (change.error().code() != Code::kTransferTimeout) {
      co_return std::unexpected<Refusal>(change.error());
    }
    switch (clock.beat()) {
      case StreamClock::Beat::kNothing: break;
      case StreamClock::Beat::kKeepAlive:
        if (!co_await out->send({{"keepalive", object()}})) co_return Answer<void>();
        break;
      case StreamClock::Beat::kTimeUp:
        co_return refuse(Code::kExecTimeout, "the watch has reached its time-out");
      case StreamClock::Beat::kDraining:
        co_return refuse(Code::kNoAvailableRuntime, "the server is stopping; watch again");
    }
  }
}

Task<Answer<object>> create_watcher(Call call, object message) {
  Wish wish;
  ATOLL_CO_TRY(std::unique_ptr<Watchers::Changes> changes, co_await open(call, &message, &wish));
  Watchers::Watcher watcher{
      .sandbox = call.sandbox,
      .folder = shown_folder(wish.folder),
      .with_entry = wish.with_entry,
      .asked = wish.folder.by_home ? std::string(kHome) : std::string(kWorkspace),
      .changes = {},
      .failed = {}};
  ATOLL_CO_TRY(std::string id, call.e2b->watchers.add(std::move(watcher), std::move(changes)));
  co_return object{{"watcherId", id}};
}

Answer<std::string> id_of(const object& message) {
  ATOLL_TRY(std::optional<std::string> id, text_member(message, "watcherId", kMaxName));
  if (!id) {
    ATOLL_TRY(id, text_member(message, "watcher_id", kMaxName));
  }
  return std::move(id).value_or("");
}

Task<Answer<object>> watcher_events(Call call, object message) {
  ATOLL_CO_TRY(std::string id, id_of(message));
  ATOLL_CO_TRY(std::shared_ptr<Watchers::Watcher> watcher,
               call.e2b->watchers.find(call.sandbox, id));
  std::deque<FileChange> changes = std::exchange(watcher->changes, {});
  if (changes.empty() && watcher->failed) co_return std::unexpected<Refusal>(*watcher->failed);
  array events;
  ClientPath asked = client_path(watcher->asked);
  for (const FileChange& change : changes) {
    events.push_back(co_await event_of(call, &change, watcher->folder, asked, watcher->with_entry));
  }
  co_return object{{"events", std::move(events)}};
}

Task<Answer<object>> remove_watcher(Call call, object message) {
  ATOLL_CO_TRY(std::string id, id_of(message));
  ATOLL_CO_CHECK(call.e2b->watchers.remove(call.sandbox, id));
  co_return object();
}

}  // namespace

void add_watch(Routes& routes) {
  const std::string service = "/filesystem.Filesystem/";
  routes.add(Method::kPost, service + "WatchDir", "e2bWatchDir", Access::kReader,
             stream<kWatchRequest, kWatchStream, watch_dir>);
  routes.add(Method::kPost, service + "CreateWatcher", "e2bCreateWatcher", Access::kReader,
             unary<kWatchRequest, kWatcher, create_watcher>);
  routes.add(Method::kPost, service + "GetWatcherEvents", "e2bWatcherEvents", Access::kReader,
             unary<kWatcher, kWatcherEvents, watcher_events>);
  routes.add(Method::kPost, service + "RemoveWatcher", "e2bRemoveWatcher", Access::kReader,
             unary<kWatcher, kEmptyMessage, remove_watcher>);
}

}  // namespace atl::api::e2b
