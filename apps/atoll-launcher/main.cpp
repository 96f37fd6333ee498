// atoll-launcher: the one privileged program. Started by `atoll`, never by hand: the arguments come
// from its parent before that drops its privileges, everything later from a socket.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "engine/launcher.hpp"

namespace {

struct Option {
  std::string_view name;
  std::string* text;
  unsigned* number = nullptr;  // where it is no text
};

int usage() {
  constexpr std::string_view kText = "usage: `atoll` starts this; see docs/architecture.md\n";
  (void)!::write(2, kText.data(), kText.size());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned control = ~0u, cgroup = ~0u;  // none
  atl::engine::LauncherOptions options;
  const Option known[] = {{"--run", &options.run_folder},
                          {"--programs", &options.programs},
                          {"--disks", &options.disk_folder},
                          {"--stamp", &options.stamp},
                          {"--control", nullptr, &control},
                          {"--cgroup", nullptr, &cgroup},
                          {"--client-uid", nullptr, &options.client_uid},
                          {"--mount-owner", nullptr, &options.mount_owner},
                          {"--mount-group", nullptr, &options.mount_group}};
  for (int i = 1; i < argc; ++i) {
    std::string_view name(argv[i]);
    if (name == "--once") {
      options.once = true;
      continue;
    }
    const Option* found = std::ranges::find(known, name, &Option::name);
    if (found == std::end(known) || ++i == argc) return usage();
    if (found->text != nullptr) *found->text = argv[i];
    if (found->number != nullptr)
      *found->number = static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10));
  }
  options.control.reset(static_cast<int>(control));
  options.cgroup.reset(static_cast<int>(cgroup));
  if (!options.control || options.run_folder.empty() || options.programs.empty()) return usage();
  // A client that is not root must not be lent root's files, or his group's, as a sandbox's own.
  bool of_root = options.mount_owner == 0 || options.mount_group == 0;
  if (!options.once && ::geteuid() == 0 && of_root) return usage();
  if (::fcntl(options.control.get(), F_SETFD, FD_CLOEXEC) != 0) return usage();
  if (options.cgroup) ::fcntl(options.cgroup.get(), F_SETFD, FD_CLOEXEC);
  ::setsid();  // a Ctrl-C at the terminal is for `atoll`, which knows what to do about it
  return atl::engine::run_launcher(std::move(options));
}
