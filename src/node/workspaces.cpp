#include "node/workspaces.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/rollback.hpp"
#include "base/safe_names.hpp"
#include "guest/pack.hpp"
#include "node/workspace_names.hpp"
#include "observe/log.hpp"

namespace atl::node {

using async::on_pool;
using async::Task;
using sandbox::FileInfo;

namespace {

constexpr std::size_t kPiece = 1u << 20;
constexpr std::string_view kUnfinished = ".part-";  // host_tree.cpp

Result<void> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno("making a folder for workspaces");
  }
  return {};
}

// As the host's copy has it.
std::optional<TreeEntry> entry_of(const FileInfo& info) {
  switch (info.kind) {
    case FileInfo::kFile:
      return TreeEntry{.kind = FileInfo::kFile,
                       .mode = (info.mode & 0777) | 0600,
                       .size = info.size,
                       .mtime_ns = info.mtime_ns};
    case FileInfo::kDirectory:
      return TreeEntry{.kind = FileInfo::kDirectory, .mode = (info.mode & 0777) | 0700};
    case FileInfo::kSymlink:
      if (!is_safe_link(info.path, info.target)) return std::nullopt;
      return TreeEntry{.kind = FileInfo::kSymlink, .target = info.target};
    default: return std::nullopt;
  }
}

// A listing as it came; what it does not show of folders that their owner may not look into.
struct Inside {
  TreeMap files;
  std::vector<std::string> closed;
};

bool is_closed(const FileInfo& folder) { return (folder.mode & 0500) != 0500; }

Task<Result<std::vector<FileInfo>>> files_inside(sandbox::Sandbox* sandbox) {
  ATOLL_CO_TRY(std::vector<FileInfo> files,
               co_await sandbox->list(sandbox->workspace(), kMaxTreeDepth, kMaxTreeEntries + 1));
  if (files.size() > kMaxTreeEntries) {
    co_return fail(Code::kTooLarge, "the workspace holds more than 100,000 files");
  }
  if (files.empty()) {
    ATOLL_CO_TRY(FileInfo root, co_await sandbox->stat(sandbox->workspace()));
    if (is_closed(root)) co_return fail(Code::kForbidden, "cannot list the workspace");
  }
  for (FileInfo& file : files) {
    if (file.kind != FileInfo::kSymlink || !file.target.empty()) continue;
    Result<FileInfo> link = co_await sandbox->stat(sandbox->workspace() + "/" + file.path);
    if (link) file.target = std::move(link->target);  // not in every backend's listing
  }
  co_return files;
}

Result<Inside> sorted(std::vector<FileInfo> files, std::uint64_t most) {
  Inside found;
  std::uint64_t bytes = 0;
  for (const FileInfo& file : files) {
    std::optional<TreeEntry> entry = entry_of(file);
    if (!entry || !is_safe_name(file.path)) continue;
    if (entry->size > most - bytes) {  // a file with holes says more than it has
      return fail(Code::kTooLarge, "the files are larger than the disk of the sandbox");
    }
    bytes += entry->size;
    if (file.kind == FileInfo::kDirectory && is_closed(file)) found.closed.push_back(file.path);
    found.files.emplace(file.path, std::move(*entry));
  }
  return found;
}

// What the host has of folders that are closed now stays as it is.
void keep_closed(const TreeMap& there, Inside& wanted) {
  for (const std::string& folder : wanted.closed) {
    std::string above = folder + "/";
    for (auto each = there.lower_bound(above);
         each != there.end() && each->first.starts_with(above); ++each) {
      wanted.files.insert(*each);
    }
  }
}

// What is not there any more, or has become something else.
Result<void> remove_gone(const HostTree& tree, const TreeMap& there, const TreeMap& wanted) {
  for (auto each = there.rbegin(); each != there.rend(); ++each) {
    auto found = wanted.find(each->first);
    if (found != wanted.end() && found->second.kind == each->second.kind) continue;
    ATOLL_CHECK(tree.remove(each->first, each->second));
  }
  return {};
}

bool is_there(const TreeMap& there, const std::string& path, const TreeEntry& entry) {
  auto found = there.find(path);
  return found != there.end() && found->second == entry;
}

// Folders and links. What is left are files.
Result<TreeMap> make_frame(const HostTree& tree, const TreeMap& there, TreeMap wanted) {
  TreeMap files;
  for (auto& [path, entry] : wanted) {
    if (is_there(there, path, entry)) continue;
    if (entry.kind == FileInfo::kFile) {
      files.emplace(path, std::move(entry));
    } else {
      ATOLL_CHECK(tree.make(path, entry));
    }
  }
  return files;
}

Amount amount_of(const TreeMap& files) {
  Amount amount{.count = 1, .files = files.size()};
  for (const auto& [path, entry] : files) amount.bytes += entry.size;
  return amount;
}

std::string tenant_of(const std::string& name) { return name.substr(0, name.find('/')); }

Result<std::string> read_piece(const UniqueFd& file, std::uint64_t left) {
  std::string piece(std::min<std::uint64_t>(kPiece, left), '\0');
  ssize_t got = ::read(file.get(), piece.data(), piece.size());
  if (got < 0) return fail_errno("reading a file of a workspace");
  if (got == 0) return fail(Code::kConflict, "a file of the workspace changes while it is read");
  piece.resize(static_cast<std::size_t>(got));
  return piece;
}

}  // namespace

Workspaces::Workspaces(std::string folder, Amount most, SpaceFloor floor)
    : folder_(std::move(folder)), floor_(floor), ledger_("workspace", most) {
  if (folder_.empty()) return;
  std::error_code failed;  // what a killed server left
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(kUnfinished)) (void)::unlink(entry.path().c_str());
  }
}

bool Workspaces::Counted::is_old(std::size_t own) const {
  constexpr std::chrono::seconds kOld{60};
  return saving <= own && std::chrono::steady_clock::now() - at >= kOld;
}

Task<void> Workspaces::migrate(std::set<std::string> tenants) {
  if (!kept()) co_return;
  usable_ = co_await on_pool(pool_, [&] { return migrate_workspaces(folder_, tenants); });
  if (!usable_) {
    log::error("workspaces_not_migrated", log::kv("error", usable_.error().to_string()));
  }
}

std::string Workspaces::name_of(const std::string& tenant, const std::string& key) {
  return folder_name(tenant) + "/" + folder_name(key);
}

Result<HostTree> Workspaces::open(const std::string& name) const {
  ATOLL_CHECK(usable_);
  std::string path = folder_ + "/" + name;
  std::string above = folder_ + "/" + tenant_of(name);
  ATOLL_CHECK(make_folder(folder_));
  ATOLL_CHECK(make_folder(above));
  if (::access(path.c_str(), F_OK) != 0) {
    std::string waiting = above + "/" + unclaimed_name(name.substr(name.find('/') + 1));
    (void)::rename(waiting.c_str(), path.c_str());  // of the first schema, if it is there
  }
  ATOLL_CHECK(make_folder(path));
  return HostTree::open(path, folder_);
}

Task<void> Workspaces::count(std::string tenant) {
  if (!kept()) co_return;
  Counted& counted = counted_[tenant];
  while (counted.counting) co_await changed_.wait();
  if (counted.done) co_return;
  counted.counting = true;
  Rollback done;
  done.add([this, &counted] {
    counted.counting = false;
    changed_.notify_all();
  });
  auto found = co_await on_pool(pool_, [&] { return amounts_in(folder_ + "/" + tenant); });
  Amount sum;
  for (const auto& [name, amount] : found) sum += amount;
  counted.by_key = std::move(found);
  counted.at = std::chrono::steady_clock::now();
  counted.done = true;
  ledger_.set(tenant, sum);
}

// As in prepare(), but at once.
Task<Result<Ledger::Reservation>> Workspaces::reserve(std::string name, Amount after) {
  std::string tenant = tenant_of(name);
  Counted& counted = counted_[tenant];
  for (;;) {
    co_await count(tenant);
    Result<Ledger::Reservation> place =
        ledger_.reserve(tenant, growth(counted.by_key[name.substr(tenant.size() + 1)], after));
    if (place || !counted.is_old(1)) co_return place;
    counted.done = false;
  }
}

Result<bool> Workspaces::prepare(const std::string& name) {
  std::string tenant = tenant_of(name);
  std::string key = name.substr(tenant.size() + 1);
  Counted& counted = counted_[tenant];
  if (!counted.by_key.contains(key)) {
    Result<Ledger::Reservation> place = ledger_.reserve(tenant, {.count = 1});
    // Somebody may remove folders by hand: for the next one they are counted again.
    if (!place && counted.is_old(0)) counted.done = false;
    if (!place) return fail(place.error());
    ATOLL_CHECK(check_space(folder_, floor_));
    place->keep();
    counted.by_key[key].count = 1;
  }
  Result<HostTree> tree = open(name);
  std::error_code failed;
  bool empty = tree && std::filesystem::is_empty(folder_ + "/" + name, failed);
  if (tree && !failed) return !empty;
  return fail(Code::kIo, "the folder of this key's workspace on the host cannot be used: " +
                             (tree ? failed.message() : tree.error().message()));
}

Task<Result<void>> Workspaces::send_file(HostTree* tree, std::string path, std::uint64_t size,
                                         sandbox::ByteStream* pack) {
  ATOLL_CO_TRY(UniqueFd file, co_await on_pool(pool_, [&] { return tree->read(path); }));
  while (size > 0) {
    ATOLL_CO_TRY(std::string piece,
                 co_await on_pool(pool_, [&] { return read_piece(file, size); }));
    size -= piece.size();
    ATOLL_CO_CHECK(co_await pack->write(std::move(piece)));
  }
  co_return Result<void>();
}

Task<Result<void>> Workspaces::fill(std::shared_ptr<sandbox::Sandbox> sandbox, std::string name) {
  ATOLL_CO_TRY(HostTree tree, open(name));
  ATOLL_CO_TRY(TreeMap files, co_await on_pool(pool_, [&] { return tree.look(); }));
  ATOLL_CO_TRY(std::unique_ptr<sandbox::ByteStream> pack,
               co_await sandbox->put_tree(sandbox->workspace()));
  for (const auto& [path, entry] : files) {
    if (entry.kind == FileInfo::kSymlink && !is_safe_link(path, entry.target)) continue;
    guest::PackEntry head{.kind = entry.kind,
                          .mode = entry.mode,
                          .mtime_ns = entry.mtime_ns,
                          .size = entry.size,
                          .path = path,
                          .target = entry.target};
    ATOLL_CO_CHECK(co_await pack->write(guest::pack_entry(head)));
    if (entry.size > 0) ATOLL_CO_CHECK(co_await send_file(&tree, path, entry.size, pack.get()));
  }
  ATOLL_CO_CHECK(co_await pack->write(std::string(guest::pack_end())));
  co_return co_await pack->finish();
}

Task<Result<void>> Workspaces::fetch_file(sandbox::Sandbox* sandbox, HostTree* tree,
                                          std::string path, const TreeEntry* entry) {
  ATOLL_CO_CHECK(co_await on_pool(pool_, [&] { return tree->begin(); }));
  if (entry->size > 0) {
    ATOLL_CO_TRY(std::unique_ptr<sandbox::ByteStream> stream,
                 co_await sandbox->get_file(sandbox->workspace() + "/" + path, 0, entry->size));
    for (std::uint64_t left = entry->size;;) {
      ATOLL_CO_TRY(std::string piece, co_await stream->read());
      if (piece.empty()) break;
      if (piece.size() > left)
        co_return fail(Code::kProtocol, "more bytes came than were asked for");
      left -= piece.size();
      ATOLL_CO_CHECK(co_await on_pool(pool_, [&] { return tree->write(piece); }));
    }
  }
  co_return co_await on_pool(pool_, [&] { return tree->end(path, *entry); });
}

Task<Result<void>> Workspaces::save(std::shared_ptr<sandbox::Sandbox> sandbox, std::string name,
                                    std::uint64_t most, bool for_good) {
  ATOLL_CO_TRY(std::vector<FileInfo> listed, co_await files_inside(sandbox.get()));
  ATOLL_CO_TRY(HostTree tree, open(name));
  TreeMap there;
  ATOLL_CO_TRY(TreeMap wanted, co_await on_pool(pool_, [&]() -> Result<TreeMap> {
                 ATOLL_TRY(Inside inside, sorted(std::move(listed), most));
                 ATOLL_TRY(there, tree.look());
                 keep_closed(there, inside);
                 return std::move(inside.files);
               }));
  std::string tenant = tenant_of(name);
  Amount before = amount_of(there);
  Amount after = amount_of(wanted);
  Counted& counted = counted_[tenant];
  ++counted.saving;
  Rollback over;
  over.add([&counted] { --counted.saving; });
  ATOLL_CO_TRY(Ledger::Reservation place, co_await reserve(name, after));
  ATOLL_CO_TRY(TreeMap files, co_await on_pool(pool_, [&]() -> Result<TreeMap> {
                 ATOLL_CHECK(check_space(folder_, floor_, growth(before, after).bytes));
                 ATOLL_CHECK(remove_gone(tree, there, wanted));
                 return make_frame(tree, there, std::move(wanted));
               }));
  Result<void> outcome;
  for (const auto& [path, entry] : files) {
    // One that cannot be read, or is gone by now, is no reason to leave out the others.
    Result<void> fetched = co_await fetch_file(sandbox.get(), &tree, path, &entry);
    if (!fetched && outcome) outcome = fail(fetched.error());
  }
  Amount& known = counted.by_key[name.substr(tenant.size() + 1)];
  place.keep();
  ledger_.remove(tenant, growth(after, known));
  known = after;
  if (for_good) ATOLL_CO_CHECK(co_await on_pool(pool_, [&] { return tree.sync(); }));
  co_return outcome;
}

}  // namespace atl::node
