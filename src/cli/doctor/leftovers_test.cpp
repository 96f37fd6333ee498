#include "cli/doctor/leftovers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/unique_fd.hpp"

namespace atl::cli {
namespace {

namespace fs = std::filesystem;

class Leftovers : public testing::Test {
 protected:
  Leftovers() {
    char name[] = "/tmp/atoll-left-XXXXXX";
    root_ = ::mkdtemp(name);
    for (const char* folder : {"run/slots", "run/net", "run/zygotes", "cg/memory/atoll"}) {
      fs::create_directories(root_ / folder);
    }
    places_ = {.shared = root_ / "run", .cgroups = root_ / "cg"};
  }
  ~Leftovers() override { fs::remove_all(root_); }

  fs::path file(const fs::path& name, const char* text = "") {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
    return root_ / name;
  }

  UniqueFd listener(const fs::path& name) {
    fs::create_directories((root_ / name).parent_path());
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::string path = root_ / name;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd.get(), 1), 0);
    return fd;
  }

  UniqueFd locked(const fs::path& path, int kind) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(::flock(fd.get(), kind | LOCK_NB), 0);
    return fd;
  }

  std::vector<std::string> sweep(bool clean) {
    std::vector<std::string> paths;
    for (const Leftover& one : sweep_leftovers(places_, clean)) {
      paths.push_back(fs::path(one.path).lexically_relative(places_.shared).string() +
                      (one.problem.empty() ? "" : "!"));
    }
    return paths;
  }

  using Paths = std::vector<std::string>;
  fs::path root_;
  LeftoverPlaces places_;
};

TEST_F(Leftovers, RemovesTheRunFolderOfADeadServer) {
  listener("run/s00000001/launcher.7");
  listener("run/s00000001/box.sock");
  file("run/s00000001/boxes/box", "record");
  EXPECT_EQ(sweep(false), Paths{"s00000001"});
  EXPECT_TRUE(fs::exists(root_ / "run/s00000001/boxes/box"));
  EXPECT_EQ(sweep(true), Paths{"s00000001"});
  EXPECT_FALSE(fs::exists(root_ / "run/s00000001"));
  EXPECT_EQ(sweep(true), Paths{});
}

TEST_F(Leftovers, KeepsWhatALivingSandboxListensAt) {
  listener("run/s00000001/launcher.7");
  UniqueFd guest = listener("run/s00000001/box.sock");
  EXPECT_EQ(sweep(true), Paths{});
  EXPECT_TRUE(fs::exists(root_ / "run/s00000001/launcher.7"));
}

TEST_F(Leftovers, KeepsWhatALauncherHasLocked) {
  listener("run/s00000001/box.sock");
  UniqueFd lock = locked(root_ / "run/s00000001", LOCK_SH);
  EXPECT_EQ(sweep(true), Paths{});
}

TEST_F(Leftovers, KeepsWhatIsNotAtolls) {
  listener("run/s00000001/box.sock");
  file("run/s00000001/letter", "dear");
  EXPECT_EQ(sweep(true), Paths{"s00000001!"});
  EXPECT_TRUE(fs::exists(root_ / "run/s00000001/letter"));
  EXPECT_TRUE(fs::exists(root_ / "run/s00000001/box.sock"));
}

TEST_F(Leftovers, RemovesDeadSocketsOnly) {
  listener("run/old.sock");
  UniqueFd living = listener("run/new.sock");
  file("run/zygotes/lock");
  listener("run/zygotes/dead.sock");
  EXPECT_EQ(sweep(true), (Paths{"old.sock", "zygotes/dead.sock"}));
  EXPECT_TRUE(fs::exists(root_ / "run/new.sock"));
}

TEST_F(Leftovers, FindsSlotsThatNobodyUses) {
  fs::path first = file("run/slots/1"), second = file("run/slots/2");
  file("run/slots/3");
  file("run/slots/4");  // a lock file alone is no burden
  for (int slot : {1, 2, 3, 9000}) {
    file("cg/memory/atoll/slot-" + std::to_string(slot) + "/cgroup.procs", slot == 3 ? "17\n" : "");
  }
  file("cg/cpu/atoll/guest-1/cgroup.procs");
  UniqueFd lock = locked(second, LOCK_EX);
  std::vector<Leftover> found = sweep_leftovers(places_, false);
  // 2 is locked, 3 has a process in it, 9000 has nothing that says whose it is.
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, first);
  EXPECT_EQ(found[0].cgroups, 2u);
  file("run/zygotes/lock");
  EXPECT_EQ(sweep(false), (Paths{"slots/1", "slots/9000"}));
  UniqueFd starting = locked(root_ / "run/zygotes/lock", LOCK_EX);
  EXPECT_EQ(sweep(false), Paths{"slots/1"});
}

// Both leaves lie in a group of their own, and those of a zygote's sandboxes beside its leaf.
TEST_F(Leftovers, FindsSlotsOfVersionTwo) {
  file("run/zygotes/lock");
  file("cg/cgroup.controllers");
  for (const char* box : {"box-1", "box-2", "place-3/box-14336"}) {
    std::string number = std::string(box).substr(std::string(box).rfind('-'));
    for (const std::string& leaf : {std::string(), "/slot" + number, "/guest" + number}) {
      bool used = leaf == "/guest-2";
      file("cg/atoll/" + (box + leaf) + "/cgroup.procs", used ? "17\n" : "");
    }
  }
  file("cg/atoll/place-3/zygote-3/cgroup.procs");
  std::vector<Leftover> found = sweep_leftovers(places_, false);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(fs::path(found[0].path).filename(), "1");
  EXPECT_EQ(found[0].cgroups, 3u);
  EXPECT_EQ(fs::path(found[1].path).filename(), "14336");
  EXPECT_EQ(found[1].cgroups, 3u);
}

TEST_F(Leftovers, LockFilesOfSlotsStay) {
  fs::path lock = file("run/slots/1");
  fs::path network = file("run/net/1");
  fs::create_directories(root_ / "cg/cpu/atoll");
  EXPECT_EQ(sweep(true), Paths{"slots/1"});
  EXPECT_TRUE(fs::exists(lock));
  EXPECT_FALSE(fs::exists(network));
}

TEST_F(Leftovers, SpeaksTextAndJson) {
  std::vector<Leftover> all{{.kind = Leftover::Kind::kSocket, .path = "/a"},
                            {.kind = Leftover::Kind::kSlot,
                             .path = "/s/1",
                             .cgroups = 6,
                             .problem = "Device or resource busy"}};
  EXPECT_EQ(leftovers_text(all),
            "removed /a\ncannot remove what slot /s/1 kept: Device or resource busy\n");
  EXPECT_EQ(leftovers_json(all, false),
            "{\"leftovers\":[{\"kind\":\"socket\",\"path\":\"/a\",\"cgroups\":0,\"removed\":true,"
            "\"reason\":null},{\"kind\":\"slot\",\"path\":\"/s/1\",\"cgroups\":6,\"removed\":false,"
            "\"reason\":\"Device or resource busy\"}]}\n");
  EXPECT_EQ(leftovers_text({}), "There is nothing to remove.\n");
}

}  // namespace
}  // namespace atl::cli
