// kList, kSearch and the recursive kRemove: walks in slices.
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "guest/connection.hpp"
#include "guest/operations.hpp"
#include "guest/paths.hpp"
#include "guest/server.hpp"
#include "guest/walker.hpp"

namespace atl::guest {
namespace {

constexpr int kSlice = 128;  // entries a turn
constexpr off_t kMaxSearched = 16 * 1024 * 1024;

using Kind = Walker::Step::Kind;

FileInfo describe(const Walker::Step& step) {
  FileInfo info = file_info(step.status, step.path);
  if (info.kind == FileInfo::kSymlink) info.target = read_link(step.dir, step.name.c_str());
  return info;
}

// Looks for `text`, a block at a time with an overlap so that no match is cut in two. A NUL byte in
// the first block means binary.
bool contains(const Walker::Step& step, const std::string& text) {
  if (!S_ISREG(step.status.st_mode) || step.status.st_size > kMaxSearched) return false;
  UniqueFd file(::openat(step.dir, step.name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return false;
  std::span<char> buffer = scratch();
  std::size_t kept = 0;
  for (off_t at = 0; at < kMaxSearched;) {
    ssize_t size = ::read(file.get(), buffer.data() + kept, buffer.size() - kept);
    if (size <= 0) return false;
    std::size_t filled = kept + static_cast<std::size_t>(size);
    if (at == 0 && ::memchr(buffer.data(), 0, std::min<std::size_t>(filled, 8192)) != nullptr) {
      return false;
    }
    if (::memmem(buffer.data(), filled, text.data(), text.size()) != nullptr) return true;
    kept = std::min(filled, text.size() - 1);
    ::memmove(buffer.data(), buffer.data() + filled - kept, kept);
    at += size;
  }
  return false;
}

class ListChannel final : public RecordChannel {
 public:
  ListChannel(Connection& connection, std::uint32_t id, UniqueFd root, std::uint32_t depth)
      : RecordChannel(connection, id), walker_(std::move(root), depth) {
    reply({});
    schedule();
  }

 private:
  More more(std::string& out) override {
    AsUser as_user(server().config());
    for (int i = 0; i < kSlice; ++i) {
      Walker::Step step = walker_.next();
      if (step.kind == Kind::kEnd) return More::kEnd;
      if (step.kind != Kind::kEntry) continue;
      add(out, describe(step));
      if (S_ISDIR(step.status.st_mode)) walker_.enter(step);
    }
    return More::kYes;
  }

  Walker walker_;
};

class SearchChannel final : public RecordChannel {
 public:
  SearchChannel(Connection& connection, std::uint32_t id, UniqueFd root, SearchArgs args)
      : RecordChannel(connection, id), walker_(std::move(root)), args_(std::move(args)) {
    reply({});
    schedule();
  }

 private:
  More more(std::string& out) override {
    AsUser as_user(server().config());
    for (int i = 0; i < kSlice; ++i) {
      Walker::Step step = walker_.next();
      if (step.kind == Kind::kEnd || found_ >= args_.max_results) return More::kEnd;
      if (step.kind != Kind::kEntry) continue;
      bool hit =
          args_.name_glob.empty() || ::fnmatch(args_.name_glob.c_str(), step.name.c_str(), 0) == 0;
      if (hit && !args_.contains.empty()) {
        hit = contains(step, args_.contains);
        i += kSlice / 8;  // reading a file takes longer than looking at its name
      }
      if (hit) {
        add(out, describe(step));
        ++found_;
      }
      if (S_ISDIR(step.status.st_mode)) walker_.enter(step);
    }
    return More::kYes;
  }

  Walker walker_;
  SearchArgs args_;
  std::uint32_t found_ = 0;
};

class RemoveChannel final : public Channel {
 public:
  RemoveChannel(Connection& connection, std::uint32_t id, Place place, UniqueFd root)
      : Channel(connection, id), place_(std::move(place)), walker_(std::move(root)) {
    schedule();
  }

  bool produce() override {
    AsUser as_user(server().config());
    for (int i = 0; i < kSlice; ++i) {
      Walker::Step step = walker_.next();
      if (step.kind == Kind::kEnd) {
        done(place_.dir.get(), place_.name);
        return false;
      }
      bool leave = step.kind == Kind::kLeave;
      if (!leave && S_ISDIR(step.status.st_mode) && walker_.enter(step)) continue;
      bool directory = leave || S_ISDIR(step.status.st_mode);
      if (::unlinkat(step.dir, step.name.c_str(), directory ? AT_REMOVEDIR : 0) != 0 &&
          errno != ENOENT) {
        fail_with(fail_path("Removing", step.path).error());
        return false;
      }
    }
    return true;
  }

 private:
  void done(int dir, const std::string& name) {
    if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) != 0) {
      return fail_with(fail_path("Removing", name).error());
    }
    reply({});
    finish();
  }

  Place place_;
  Walker walker_;
};

ChannelPtr refuse(Connection& connection, std::uint32_t id, Error error) {
  connection.answer(id, fail(std::move(error)));
  return nullptr;
}

}  // namespace

ChannelPtr open_list(Connection& connection, std::uint32_t id, const std::string& path,
                     std::uint32_t depth) {
  auto root = open_path(path, O_RDONLY | O_DIRECTORY);
  if (!root) return refuse(connection, id, root.error());
  return std::make_unique<ListChannel>(connection, id, std::move(*root), depth);
}

ChannelPtr open_search(Connection& connection, std::uint32_t id, SearchArgs args) {
  if (args.contains.size() > 4096 || args.name_glob.size() > 4096) {
    return refuse(connection, id,
                  Error(Code::kTooLarge, "The text to search for is longer than 4096 bytes."));
  }
  auto root = open_path(args.root, O_RDONLY | O_DIRECTORY);
  if (!root) return refuse(connection, id, root.error());
  return std::make_unique<SearchChannel>(connection, id, std::move(*root), std::move(args));
}

ChannelPtr open_remove_tree(Connection& connection, std::uint32_t id, const std::string& path) {
  auto place = open_place(path);
  if (!place) return refuse(connection, id, place.error());
  auto root = open_below(place->dir, place->name, O_RDONLY | O_DIRECTORY);
  if (root) {
    return std::make_unique<RemoveChannel>(connection, id, std::move(*place), std::move(*root));
  }
  connection.answer(id, remove_file(path));  // a file, a link, or a folder that cannot be looked
                                             // into
  return nullptr;
}

}  // namespace atl::guest
