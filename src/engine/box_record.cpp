#include "engine/box_record.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace atl::engine {
namespace {

struct Record {
  std::uint32_t magic = kLauncherMagic;
  std::uint32_t slot = 0;
  std::uint32_t walls = 0;
  std::int32_t pid = 0;
  std::uint64_t start_time = 0;  // with the pid: the same process, not a later one of that number
};

// Field 22 of /proc/PID/stat; 0 when there is no such process.
std::uint64_t start_time(pid_t pid) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
  char text[1024];
  ssize_t size = fd ? ::read(fd.get(), text, sizeof text - 1) : 0;
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* at = std::strrchr(text, ')');  // the name may hold spaces and brackets
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  return at != nullptr ? std::strtoull(at, nullptr, 10) : 0;
}

void record_name(const BoxId& id, char (&name)[64]) { std::snprintf(name, sizeof name, "boxes/%s", id.text.data()); }

std::optional<Box> find_box(const LauncherState& state, const char* name) {
  Box box;
  std::strncpy(box.id.text.data(), name, box.id.text.size() - 1);
  char path[64];
  record_name(box.id, path);
  UniqueFd fd(::openat(state.run.get(), path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  Record record;
  bool whole = fd && ::read(fd.get(), &record, sizeof record) == sizeof record && record.magic == kLauncherMagic;
  box.pidfd.reset(whole ? static_cast<int>(::syscall(SYS_pidfd_open, record.pid, 0)) : -1);
  // The pidfd is taken first: if the start time still fits afterwards, it is the right process.
  if (!box.pidfd || start_time(record.pid) != record.start_time) return std::nullopt;
  box.pid = record.pid;
  box.walls = record.walls;
  box.is_child = false;
  box.slot.number = record.slot;
  if (!state.rootless && state.cgroups.available()) {
    Result<SlotCgroup> cgroup = state.cgroups.open_slot(record.slot);
    if (cgroup) box.slot.cgroup = std::move(*cgroup);
  }
  return box;
}

}  // namespace

void write_record(const LauncherState& state, const Box& box) {
  char name[64];
  record_name(box.id, name);
  UniqueFd fd(::openat(state.run.get(), name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd && errno == ENOENT) {
    ::mkdirat(state.run.get(), "boxes", 0700);
    fd.reset(::openat(state.run.get(), name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  }
  Record record{.slot = box.slot.number, .walls = box.walls, .pid = box.pid, .start_time = start_time(box.pid)};
  if (fd) (void)!::write(fd.get(), &record, sizeof record);
}

void forget_box(const LauncherState& state, const Box& box) {
  char name[64];
  record_name(box.id, name);
  ::unlinkat(state.run.get(), name, 0);
  std::snprintf(name, sizeof name, "%s.sock", box.id.text.data());
  ::unlinkat(state.run.get(), name, 0);
}

std::vector<Box> find_boxes(const LauncherState& state) {
  std::vector<Box> found;
  int fd = ::openat(state.run.get(), "boxes", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = fd >= 0 ? ::fdopendir(fd) : nullptr;
  if (folder == nullptr) return found;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    std::optional<Box> box = find_box(state, entry->d_name);
    if (box) {
      found.push_back(std::move(*box));
    } else {
      Box gone;
      std::strncpy(gone.id.text.data(), entry->d_name, gone.id.text.size() - 1);
      forget_box(state, gone);
    }
  }
  ::closedir(folder);
  return found;
}

}  // namespace atl::engine
