#include <dirent.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <cstring>

#include "engine/box.hpp"
#include "engine/sys.hpp"

namespace atl::engine {
namespace {

struct Record {
  std::uint32_t magic = kLauncherMagic;
  std::uint32_t slot = 0, walls = 0;
  std::int32_t pid = 0;
  std::uint64_t start_time = 0;  // with the pid: the same process, not a later one of that number
  UsageFigures cgroup;           // what its leaf had counted before
};

// Field 22 of /proc/PID/stat; 0 when there is no such process.
std::uint64_t start_time(pid_t pid) {
  std::string text = read_file(AT_FDCWD, Text("/proc/%d/stat", pid).c_str());
  const char* at = std::strrchr(text.c_str(), ')');  // the name may hold spaces and brackets
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  return at != nullptr ? std::strtoull(at, nullptr, 10) : 0;
}

Text record_name(const BoxId& id) { return Text("boxes/%s", id.text.data()); }

std::optional<Box> find_box(LauncherState& state, const BoxId& id) {
  std::string bytes = read_file(state.run.get(), record_name(id).c_str());
  Record record;
  if (bytes.size() != sizeof record) return std::nullopt;
  std::memcpy(&record, bytes.data(), sizeof record);
  if (record.magic != kLauncherMagic) return std::nullopt;
  Box box{.id = id, .pid = record.pid, .walls = record.walls};
  box.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, record.pid, 0)));
  // The pidfd is taken first: if the start time still fits afterwards, it is the right process.
  if (!box.pidfd || start_time(record.pid) != record.start_time) return std::nullopt;
  box.slot.number = record.slot;
  state.slots.adopt(box.slot);
  box.workspace = open_workspace(record.pid);
  if (state.cgroups.available()) {
    box.slot.cgroup = SlotCgroup(state.cgroups, Leaf::kSlot, record.slot, record.cgroup);
  }
  return box;
}

}  // namespace

bool write_record(const LauncherState& state, const Box& box, int flags) {
  Record record{.slot = box.slot.number,
                .walls = box.walls,
                .pid = box.pid,
                .start_time = start_time(box.pid),
                .cgroup = box.slot.cgroup.start()};
  return make_folder(state.run.get(), "boxes", 0700) &&
         write_file(state.run.get(), record_name(box.id).c_str(), bytes_of(record),
                    O_WRONLY | flags);
}

void forget_box(const LauncherState& state, const BoxId& id) {
  ::unlinkat(state.run.get(), Text("%s.sock", id.text.data()).c_str(), 0);
  ::unlinkat(state.run.get(), record_name(id).c_str(), 0);  // last: it names the rest
}

std::vector<Box> find_boxes(LauncherState& state) {
  std::vector<Box> found;
  UniqueFd fd = open_at(state.run.get(), "boxes", O_RDONLY | O_DIRECTORY);
  DIR* folder = fd ? ::fdopendir(fd.release()) : nullptr;
  if (folder == nullptr) return found;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    BoxId id;
    std::strncpy(id.text.data(), entry->d_name, id.text.size() - 1);
    if (std::optional<Box> box = find_box(state, id)) {
      found.push_back(std::move(*box));
    } else {
      forget_box(state, id);
    }
  }
  ::closedir(folder);
  return found;
}

}  // namespace atl::engine
