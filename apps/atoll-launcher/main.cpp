// atoll-launcher: the one privileged program. Started by `atoll`, never by hand: the arguments come
// from its parent before that drops its privileges, everything later from a socket.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "engine/launcher.hpp"

namespace {

int usage() {
  constexpr std::string_view kText =
      "usage: atoll-launcher --control FD --run DIR --guest FILE --client-uid UID\n"
      "                      --mount-owner UID [--zygote FILE --driver FILE --enter FILE]\n"
      "                      [--disks DIR] [--cgroup FD] [--once]\n"
      "\n"
      "Builds and tears down native sandboxes for `atoll`, which starts it. See "
      "docs/architecture.md.\n";
  (void)!::write(2, kText.data(), kText.size());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  atl::engine::LauncherOptions options;
  for (int i = 1; i < argc; ++i) {
    std::string_view name(argv[i]);
    if (name == "--once") {
      options.once = true;
      continue;
    }
    if (i + 1 == argc) return usage();
    const char* value = argv[++i];
    auto number = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    const std::pair<std::string_view, std::string*> texts[] = {
        {"--run", &options.run_folder},        {"--guest", &options.guest_program},
        {"--zygote", &options.zygote_program}, {"--driver", &options.zygote_driver},
        {"--enter", &options.enter_library},   {"--disks", &options.disk_folder}};
    const std::pair<std::string_view, uid_t*> uids[] = {{"--client-uid", &options.client_uid},
                                                        {"--mount-owner", &options.mount_owner}};
    const std::pair<std::string_view, atl::UniqueFd*> files[] = {{"--control", &options.control},
                                                                 {"--cgroup", &options.cgroup}};
    bool known = false;
    for (auto [option, text] : texts) {
      if (name == option) *text = value, known = true;
    }
    for (auto [option, uid] : uids) {
      if (name == option) *uid = number, known = true;
    }
    for (auto [option, file] : files) {
      if (name == option) file->reset(static_cast<int>(number)), known = true;
    }
    if (!known) return usage();
  }
  if (!options.control || options.run_folder.empty() || options.guest_program.empty())
    return usage();
  // A client that is not root must not be lent root's files as a sandbox's own.
  if (!options.once && ::geteuid() == 0 && options.mount_owner == 0) return usage();
  if (::fcntl(options.control.get(), F_SETFD, FD_CLOEXEC) != 0) return usage();
  if (options.cgroup) ::fcntl(options.cgroup.get(), F_SETFD, FD_CLOEXEC);
  ::setsid();  // a Ctrl-C at the terminal is for `atoll`, which knows what to do about it
  return atl::engine::run_launcher(std::move(options));
}
