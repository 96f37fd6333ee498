// kWatch: changes below a directory, by inotify. A rename shows as kMoved for the old name and as
// kCreated for the new one. Too many folders or too many events show as kOverflow: look for
// yourself.
#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <map>

#include "guest/connection.hpp"
#include "guest/operations.hpp"
#include "guest/paths.hpp"
#include "guest/server.hpp"
#include "guest/walker.hpp"

namespace atl::guest {
namespace {

constexpr std::size_t kMaxWatches = 8192;
constexpr std::uint32_t kMask =
    IN_CREATE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW;

class WatchChannel final : public RecordChannel, public Pollable {
 public:
  WatchChannel(Connection& connection, std::uint32_t id, std::string root, bool recursive)
      : RecordChannel(connection, id), root_(std::move(root)), recursive_(recursive) {}
  ~WatchChannel() override { server().loop().forget(*this); }

  void start() {
    notify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!notify_ || !add_watch("")) return fail_with(fail_path("Watching", root_).error());
    std::string ignored;
    if (recursive_) add_tree("", ignored, false);
    server().loop().add(notify_.get(), EPOLLIN | EPOLLET, *this);
    reply({});
    schedule();
  }

  void on_events(std::uint32_t) override { schedule(); }

 private:
  // `path` is relative to the root, with a slash at its end unless empty.
  bool add_watch(const std::string& path) {
    if (folders_.size() >= kMaxWatches) {
      errno = ENOSPC;
      return false;
    }
    int watch = ::inotify_add_watch(notify_.get(), (root_ + "/" + path).c_str(), kMask);
    if (watch < 0) return false;
    folders_[watch] = path;
    return true;
  }

  // Watches every folder below; `report`: what is in there came before the watch did.
  void add_tree(const std::string& path, std::string& out, bool report) {
    auto dir = open_path(root_ + "/" + path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!dir) return;
    Walker walker(std::move(*dir));
    for (;;) {
      Walker::Step step = walker.next();
      if (step.kind == Walker::Step::kEnd) return;
      if (step.kind != Walker::Step::kEntry) continue;
      if (report) add(out, WatchEvent{.kind = WatchEvent::kCreated, .path = path + step.path});
      if (!S_ISDIR(step.status.st_mode)) continue;
      if (!add_watch(path + step.path + "/")) {
        if (errno == ENOSPC) return add(out, WatchEvent{.kind = WatchEvent::kOverflow, .path = ""});
        continue;
      }
      walker.enter(step);
    }
  }

  void translate(const inotify_event& event, std::string& out) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      return add(out, WatchEvent{.kind = WatchEvent::kOverflow, .path = ""});
    }
    auto folder = folders_.find(event.wd);
    if (folder == folders_.end()) return;
    if ((event.mask & IN_IGNORED) != 0) {
      folders_.erase(folder);
      return;
    }
    if (event.len == 0) return;
    std::string path = folder->second + event.name;
    std::uint8_t kind = (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0 ? WatchEvent::kCreated
                        : (event.mask & IN_MOVED_FROM) != 0           ? WatchEvent::kMoved
                        : (event.mask & IN_DELETE) != 0               ? WatchEvent::kRemoved
                                                                      : WatchEvent::kModified;
    add(out, WatchEvent{.kind = kind, .path = path});
    if (!recursive_ || (event.mask & IN_ISDIR) == 0) return;
    if (kind == WatchEvent::kMoved) forget_tree(path + "/");
    if (kind == WatchEvent::kCreated && add_watch(path + "/")) add_tree(path + "/", out, true);
  }

  // A folder that moved away keeps its watches, under a name that is no longer true.
  void forget_tree(const std::string& prefix) {
    for (auto it = folders_.begin(); it != folders_.end();) {
      if (it->second.starts_with(prefix)) {
        ::inotify_rm_watch(notify_.get(), it->first);
        it = folders_.erase(it);
      } else {
        ++it;
      }
    }
  }

  More more(std::string& out) override {
    AsUser as_user(server().config());
    alignas(inotify_event) char buffer[4096];
    ssize_t size = ::read(notify_.get(), buffer, sizeof buffer);
    if (size <= 0) return More::kLater;
    for (ssize_t at = 0; at < size;) {
      const auto& event = *reinterpret_cast<const inotify_event*>(buffer + at);
      translate(event, out);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
    return More::kYes;
  }

  std::string root_;
  bool recursive_;
  UniqueFd notify_;
  std::map<int, std::string> folders_;
};

}  // namespace

ChannelPtr open_watch(Connection& connection, std::uint32_t id, const std::string& path,
                      bool recursive) {
  auto full = absolute(path);
  auto root = open_path(path, O_PATH | O_DIRECTORY);
  if (!full || !root) {
    connection.answer(id, fail(full ? root.error() : full.error()));
    return nullptr;
  }
  auto channel = std::make_unique<WatchChannel>(connection, id, std::move(*full), recursive);
  channel->start();
  return channel;
}

}  // namespace atl::guest
