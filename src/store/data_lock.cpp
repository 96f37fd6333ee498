#include "store/data_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <thread>

namespace atl::store {
namespace {

std::string owner_of(const UniqueFd& fd) {
  std::array<char, 32> text{};
  ssize_t size = ::pread(fd.get(), text.data(), text.size(), 0);
  std::string_view digits(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  return digits.empty() ? "another process" : "process " + std::string(digits);
}

// Waits for whoever has it.
Result<void> take(const UniqueFd& fd, std::chrono::milliseconds patience) {
  auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return fail_errno("lock the data folder");
    if (std::chrono::steady_clock::now() >= until) {
      return fail(Code::kConflict, "the data folder is in use by " + owner_of(fd) +
                                       "; stop it, or choose another with --data");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {};
}

}  // namespace

Result<void> make_data_folder(const std::string& folder) {
  std::filesystem::path path(folder);
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    int why = errno;
    return fail(Error(code_from_errno(why),
                      "cannot make the data folder " + folder + "; choose another with --data",
                      why));
  }
  return {};
}

Result<UniqueFd> lock_data_folder(const std::string& folder, std::chrono::milliseconds patience) {
  UniqueFd fd(::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail_errno("open the lock of the data folder");
  ATOLL_CHECK(take(fd, patience));
  // Only for people who read it: the lock is the kernel's, so a full disk is no reason to refuse.
  std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] ssize_t ignored = ::pwrite(fd.get(), pid.data(), pid.size(), 0);
  }
  return fd;
}

Result<void> wait_until_free(const std::string& folder, std::chrono::milliseconds patience) {
  constexpr int kOnlyLook = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::open((folder + "/lock").c_str(), kOnlyLook));
  if (!fd && errno == ENOENT) return {};
  if (!fd) return fail_errno("open the lock of the data folder");
  Result<void> taken = take(fd, patience);
  bool is_used = !taken && taken.error().code() == Code::kConflict;
  return is_used ? taken : Result<void>();  // the server itself will say what else is wrong
}

}  // namespace atl::store
