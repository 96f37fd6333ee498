#include "node/workspace_names.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/unique_fd.hpp"
#include "codec/sha256.hpp"
#include "observe/log.hpp"

namespace atl::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxName = 200;  // of the 255 bytes that a name may have
constexpr std::size_t kFront = 100;    // of a text that is too long
constexpr std::size_t kSum = 64;
// Keys never begin with a dot.
constexpr const char* kDone = ".layout-2";
constexpr const char* kCollecting = ".collecting";  // not all of the old ones are in there yet
constexpr const char* kOld = ".old-layout";         // all of them are

void add_escaped(std::string& name, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  name += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
}

std::string escaped(std::string_view text, bool first_schema) {
  std::string name;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool first = name.empty() && (c == '.' || c == '@');
    if (c == ':') {
      name += '_';
    } else if (first || byte < ' ' || byte == 0x7f || c == '/' || c == '%' ||
               (c == '_' && !first_schema)) {
      add_escaped(name, byte);
    } else {
      name += c;
    }
  }
  return name;
}

// As the first schema had it.
std::string old_folder_name(std::string_view text) {
  std::string name = escaped(text, true);
  if (name.size() > kMaxName) name = name.substr(0, kFront) + "%" + codec::sha256_hex(text);
  return name;
}

bool is_sum(std::string_view text) {
  return text.size() == kSum && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// The name in the tenant's folder for one of the first schema.
std::string new_name(std::string_view old) {
  bool was_long = old.size() == kFront + 1 + kSum && old[kFront] == '%';
  if (was_long && is_sum(old.substr(kFront + 1))) {
    return "%~-" + std::string(old.substr(kFront + 1));
  }
  return (old.find('_') == old.npos ? "" : "%~") + std::string(old);
}

std::string below(const std::string& folder, const std::string& name) {
  return folder + "/" + name;
}

bool is_there(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

Result<void> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno("mkdir workspaces");
  return {};
}

Result<void> sync(const std::string& path) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::syncfs(folder.get()) != 0) return fail_errno("syncing workspaces");
  return {};
}

Result<std::vector<std::string>> names_in(const std::string& path) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(path, failed)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  if (failed) return fail_errno("reading workspaces", failed.value());
  return names;
}

// Never onto something: what is in the way stays, and so does what was to come there.
Result<bool> move(const std::string& from, const std::string& to) {
  struct stat info{};
  if (::lstat(from.c_str(), &info) != 0) return fail_errno("moving a workspace");
  if (!S_ISDIR(info.st_mode) || is_there(to)) return false;
  if (::rename(from.c_str(), to.c_str()) != 0) return fail_errno("moving a workspace");
  return true;
}

Result<void> collect(const std::string& folder) {
  std::string collecting = folder + "/" + kCollecting;
  ATOLL_CHECK(make_folder(collecting));
  ATOLL_TRY(std::vector<std::string> names, names_in(folder));
  for (const std::string& name : names) {
    if (::rename(below(folder, name).c_str(), below(collecting, name).c_str()) != 0) {
      return fail_errno("moving a workspace");
    }
  }
  ATOLL_CHECK(sync(folder));
  if (::rename(collecting.c_str(), (folder + "/" + kOld).c_str()) != 0) {
    return fail_errno("moving workspaces");
  }
  return {};
}

// None: it is that of several tenants, or of none that is known and could be several.
std::optional<std::string> tenant_of(std::string_view old, const std::set<std::string>& tenants) {
  std::vector<std::string> fitting;
  for (const std::string& tenant : tenants) {
    if (tenant != "default" && old_folder_name(tenant) == old) fitting.push_back(tenant);
  }
  if (fitting.size() == 1) return folder_name(fitting.front());
  bool is_plain = fitting.empty() && new_name(old) == old;
  return is_plain ? std::optional<std::string>(old) : std::nullopt;
}

Result<void> move_all(const std::string& from, const std::string& to, bool is_top) {
  ATOLL_CHECK(make_folder(to));
  ATOLL_TRY(std::vector<std::string> names, names_in(from));
  for (const std::string& name : names) {
    if (is_top && name.starts_with('@')) continue;
    ATOLL_CHECK(move(below(from, name), below(to, new_name(name))));
  }
  return {};
}

Result<void> spread(const std::string& folder, const std::set<std::string>& tenants) {
  std::string old = folder + "/" + kOld;
  ATOLL_CHECK(move_all(old, folder + "/default", true));
  ATOLL_TRY(std::vector<std::string> names, names_in(old));
  for (const std::string& name : names) {
    std::string shared = below(old, name);
    if (!name.starts_with('@') || !fs::is_directory(fs::symlink_status(shared))) continue;
    std::optional<std::string> tenant = tenant_of(std::string_view(name).substr(1), tenants);
    if (!tenant) continue;
    ATOLL_CHECK(move_all(shared, below(folder, *tenant), false));
    (void)::rmdir(shared.c_str());
  }
  return {};
}

}  // namespace

std::string folder_name(std::string_view text) {
  if (text.empty()) return "%";
  std::string name = escaped(text, false);
  if (name.size() > kMaxName) name = name.substr(0, kFront) + "%-" + codec::sha256_hex(text);
  return name;
}

std::string unclaimed_name(std::string_view name) {
  if (std::size_t sum = name.find("%-"); sum != name.npos) {
    return "%~-" + std::string(name.substr(sum + 2));
  }
  std::string old = "%~";
  for (std::size_t at = 0; at < name.size(); ++at) {
    bool underscore = name.substr(at, 3) == "%5F";
    old += underscore ? '_' : name[at];
    if (underscore) at += 2;
  }
  return old;
}

Result<void> migrate_workspaces(const std::string& folder, const std::set<std::string>& tenants) {
  std::string old = folder + "/" + kOld;
  if (is_there(folder + "/" + kDone)) return {};
  ATOLL_CHECK(make_folder(folder));
  if (!is_there(old)) ATOLL_CHECK(collect(folder));
  ATOLL_CHECK(spread(folder, tenants));
  ATOLL_CHECK(sync(folder));
  UniqueFd done(::open((folder + "/" + kDone).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!done || ::fsync(done.get()) != 0) return fail_errno("noting the layout of workspaces");
  ATOLL_CHECK(sync(folder));
  if (::rmdir(old.c_str()) != 0) log::warn("workspaces_not_migrated", log::kv("folder", old));
  return {};
}

}  // namespace atl::node
