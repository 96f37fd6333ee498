#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "images/store.hpp"
#include "server/serve.hpp"
#include "store/data_lock.hpp"

namespace atl::server {
namespace {

// Each folder that is missing on the way is made; the last one belongs to the server alone.
Result<void> make_folders(const std::string& path) {
  for (std::size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at + 1);
    std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), at == std::string::npos ? 0700 : 0755) != 0 && errno != EEXIST) {
      return fail_errno("making the folder");
    }
  }
  return {};
}

Result<void> give_to(const std::string& path, unsigned uid, unsigned gid) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder) return fail_errno("opening the folder");
  struct stat info{};
  if (::fstat(folder.get(), &info) != 0) return fail_errno("looking at the folder");
  if (info.st_uid == uid) return {};
  if (info.st_uid != ::getuid()) {
    return fail(Code::kForbidden, "the data folder belongs to somebody else");
  }
  if (::fchown(folder.get(), uid, gid) != 0) return fail_errno("giving the folder away");
  return {};
}

// Short: socket paths have 108 bytes. The same folder always gives the same name.
std::string name_of(const std::string& path) {
  std::uint64_t hash = 14695981039346656037ull;
  for (char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  char text[20];
  std::snprintf(text, sizeof text, "s%08x", static_cast<unsigned>(hash ^ (hash >> 32)));
  return text;
}

}  // namespace

Result<void> check_free(const Place& place) {
  constexpr std::chrono::seconds kPatience{1};  // with one that is ending
  return store::wait_until_free(place.data_folder, kPatience);
}

Result<Place> prepare_place(const std::string& data, unsigned uid, unsigned gid) {
  Place place{.data_folder = data};
  if (place.data_folder.empty()) {
    ATOLL_TRY(place.data_folder, images::server_folder());
    // The owner of the folder above it may have closed it to everybody else.
    struct stat above{};
    std::string parent = place.data_folder.substr(0, place.data_folder.rfind('/'));
    bool is_closed = ::stat(parent.c_str(), &above) == 0 && (above.st_mode & 0011) == 0;
    if (is_closed && above.st_uid == ::geteuid()) ::chmod(parent.c_str(), 0711);
  }
  if (place.data_folder[0] != '/') {
    char here[PATH_MAX];
    if (::getcwd(here, sizeof here) == nullptr) return fail_errno("finding the working folder");
    place.data_folder = std::string(here) + "/" + place.data_folder;
  }
  while (place.data_folder.size() > 1 && place.data_folder.back() == '/') {
    place.data_folder.pop_back();
  }
  if (Result<void> made = make_folders(place.data_folder); !made) {
    return fail(Error(made.error()).at("data folder"));
  }
  ATOLL_CHECK(give_to(place.data_folder, uid, gid));
  char real[PATH_MAX];
  if (::realpath(place.data_folder.c_str(), real) != nullptr) place.data_folder = real;
  place.run_folder = name_of(place.data_folder);
  return place;
}

}  // namespace atl::server
