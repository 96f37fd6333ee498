// The conformance suite on SQLite, and what only SQLite can suffer: the disk under it.
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "store/conformance/deed.hpp"
#include "store/conformance/harness.hpp"
#include "store/sqlite/connection.hpp"

extern char** environ;

namespace atl::store {
namespace {

class SqliteDatabase final : public TestedDatabase {
 public:
  std::string fresh_url() override { return ""; }
  Result<std::unique_ptr<Connection>> connect(const std::string& /*url*/,
                                              const std::string& data_folder) override {
    return sqlite::connect(data_folder + "/atoll.db", sqlite::Use::kWrite);
  }
};

bool write_text(const char* file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  return out.good();
}

// A disk of our own for this process: in namespaces that end with it.
bool mount_small_disk(const std::string& folder) {
  uid_t uid = ::geteuid();
  gid_t gid = ::getegid();
  if (uid != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_text("/proc/self/setgroups", "deny");
    if (!write_text("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1")) return false;
    if (!write_text("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1")) return false;
  } else if (::unshare(CLONE_NEWNS) != 0) {
    return false;
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("small", folder.c_str(), "tmpfs", 0, "size=4m,mode=700") == 0;
}

constexpr int kNoDisk = 77;
constexpr const char* kOnSmallDisk = "--on-small-disk";

std::vector<Change> one_key(const std::string& id, std::size_t size) {
  std::vector<Change> changes;
  changes.emplace_back(PutKey{{.id = id, .name = std::string(size, 'x')}});
  return changes;
}

void fill_and_empty(const std::string& folder) {
  std::unique_ptr<Store> store = must(wait(open_store({.data_folder = folder})));
  // Larger than the log may grow to before it is copied, so the end comes inside a write.
  std::vector<std::string> kept;
  Result<void> done;
  for (int i = 0; i < 1000; ++i) {
    std::string id = "key" + std::to_string(i);
    done = wait(store->write(one_key(id, 20'000)));
    if (!done) break;
    kept.push_back(id);
  }
  EXPECT_EQ(code_of(done), Code::kResourceExhausted);
  EXPECT_EQ(code_of(wait(store->write(one_key("too large", 2'000'000)))), Code::kResourceExhausted);
  ASSERT_FALSE(kept.empty());
  // Reads go on; nothing acknowledged is lost, nothing is half there.
  EXPECT_EQ(must(wait(store->keys())).size(), kept.size());
  // An output in a file is refused as clearly.
  EXPECT_EQ(code_of(wait(store->write(make_deed(SessionId::make(), 4)))), Code::kResourceExhausted);
  // Room again: writes work again, without opening anew.
  ASSERT_EQ(::mount("small", folder.c_str(), "tmpfs", MS_REMOUNT, "size=32m"), 0);
  must(wait(store->write(one_key("after", 20'000))));
  SessionId deed = SessionId::make();
  must(wait(store->write(make_deed(deed, 4))));
  EXPECT_EQ(wait(missing_of_deed(store.get(), deed)), "");
  wait(store->close());
  store = must(wait(open_store({.data_folder = folder})));
  kept.emplace_back("after");
  for (const std::string& id : kept) EXPECT_EQ(code_of(wait(store->key(id))), Code::kOk) << id;
  EXPECT_EQ(must(wait(store->keys())).size(), kept.size());
  wait(store->close());
}

// What this program does as a child: the other cases must not get its namespaces.
int run_on_small_disk(const std::string& folder) {
  if (!mount_small_disk(folder)) return kNoDisk;
  try {
    fill_and_empty(folder);
  } catch (const std::exception& exception) {
    ADD_FAILURE() << exception.what();
  }
  return testing::Test::HasFailure() ? 1 : 0;
}

TEST(SqliteStore, AFullDiskIsAnErrorAndPasses) {
  TempFolder folder;
  std::string program = "/proc/self/exe";
  std::string option = kOnSmallDisk;
  std::string path = folder.path();
  std::array<char*, 4> argv = {program.data(), option.data(), path.data(), nullptr};
  pid_t pid = -1;
  ASSERT_EQ(::posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv.data(), environ), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoDisk) GTEST_SKIP() << "this host lets nobody mount a tmpfs";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "see above";
}

TEST(SqliteStore, TheLogHasItsLengthFromTheStart) {
  TempFolder folder;
  std::unique_ptr<Store> store = must(wait(open_store({.data_folder = folder.path()})));
  std::uintmax_t length = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().string().ends_with("-wal")) length = entry.file_size();
  }
  EXPECT_EQ(length, 5u << 20);
  must(wait(store->write(one_key("a", 20'000))));
  wait(store->close());
  store = must(wait(open_store({.data_folder = folder.path()})));
  EXPECT_EQ(code_of(wait(store->key("a"))), Code::kOk);
  wait(store->close());
}

TEST(SqliteStore, SomethingElseInItsPlace) {
  TempFolder folder;
  write_text((folder.path() + "/atoll.db").c_str(), std::string(5000, 'x'));
  Result<std::unique_ptr<Store>> opened = wait(open_store({.data_folder = folder.path()}));
  EXPECT_EQ(code_of(opened), Code::kIo);
  EXPECT_EQ(code_of(wait(open_store({.data_folder = "/proc/no-such-folder"}))), Code::kNotFound);
}

}  // namespace

TestedDatabase& tested_database() {
  static SqliteDatabase database;
  return database;
}

}  // namespace atl::store

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 3 && std::string_view(argv[1]) == atl::store::kOnSmallDisk) {
    return atl::store::run_on_small_disk(argv[2]);
  }
  return RUN_ALL_TESTS();
}
