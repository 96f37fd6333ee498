// atoll-launcher: the one privileged program. Started by `atoll`, never by hand: the arguments come
// from its parent before that drops its privileges, everything later from a socket.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "engine/launcher.hpp"

namespace {

int usage() {
  constexpr std::string_view kText =
      "usage: atoll-launcher --control FD --run DIR --guest FILE --client-uid UID\n"
      "                      --mount-owner UID [--zygote FILE --driver FILE --enter FILE]\n"
      "                      [--disks DIR] [--once]\n"
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
    if (name == "--control") {
      options.control.reset(static_cast<int>(number));
    } else if (name == "--run") {
      options.run_folder = value;
    } else if (name == "--guest") {
      options.guest_program = value;
    } else if (name == "--zygote") {
      options.zygote_program = value;
    } else if (name == "--driver") {
      options.zygote_driver = value;
    } else if (name == "--enter") {
      options.enter_library = value;
    } else if (name == "--disks") {
      options.disk_folder = value;
    } else if (name == "--client-uid") {
      options.client_uid = number;
    } else if (name == "--mount-owner") {
      options.mount_owner = number;
    } else {
      return usage();
    }
  }
  if (!options.control || options.run_folder.empty() || options.guest_program.empty())
    return usage();
  // A client that is not root must not be lent root's files as a sandbox's own.
  if (!options.once && ::geteuid() == 0 && options.mount_owner == 0) return usage();
  if (::fcntl(options.control.get(), F_SETFD, FD_CLOEXEC) != 0) return usage();
  ::setsid();  // a Ctrl-C at the terminal is for `atoll`, which knows what to do about it
  return atl::engine::run_launcher(std::move(options));
}
