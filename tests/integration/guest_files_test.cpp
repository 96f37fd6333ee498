// The guest as an ordinary process: files, trees, watching, searching, connecting to ports.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "guest/pack.hpp"
#include "guest_host.hpp"

namespace atl::guest::test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void spill(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

class GuestFiles : public testing::Test {
 protected:
  GuestProcess guest;
  Host host{guest};
  TempDir dir;

  Log& put(const PutArgs& args, std::string_view content) {
    std::uint32_t channel = host.open(Op::kFilePut, args);
    host.send_data(channel, content);
    host.send(FrameType::kEof, channel, kStdin, "");
    return host.finish(channel);
  }
  Log& get(const GetArgs& args) { return host.finish(host.open(Op::kFileGet, args)); }
  Code code(Op op, const Writer& arguments) { return *host.run(op, arguments).code; }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()));
  }
};

TEST_F(GuestFiles, PutAndGet) {
  std::string content;
  for (int i = 0; i < 300'000; ++i) content += std::to_string(i) + " ";
  EXPECT_EQ(put({.path = dir / "a/b/f", .mode = 0640, .make_parents = 1}, content).code, Code::kOk);
  EXPECT_EQ(slurp(dir / "a/b/f"), content);
  struct stat status{};
  ASSERT_EQ(::stat((dir / "a/b/f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);

  Log& all = get({.path = dir / "a/b/f"});
  EXPECT_EQ(all.data[1], content);
  EXPECT_TRUE(all.eof[1]);
  EXPECT_EQ(decoded<FileInfo>(all.reply)->size, content.size());
  EXPECT_EQ(get({.path = dir / "a/b/f", .offset = 10, .length = 20}).data[1],
            content.substr(10, 20));
  EXPECT_EQ(get({.path = dir / "a/b/f", .offset = UINT64_MAX}).data[1], "");

  EXPECT_EQ(put({.path = dir / "a/b/f"}, "new").code, Code::kOk);
  EXPECT_EQ(slurp(dir / "a/b/f"), "new");
  EXPECT_EQ(put({.path = dir / "x/y"}, "new").code, Code::kNotFound);
  EXPECT_EQ(put({.path = dir / "a"}, "new").code, Code::kInvalidArgument);
  EXPECT_EQ(get({.path = dir / "a"}).code, Code::kInvalidArgument);
  EXPECT_EQ(get({.path = dir / "none"}).code, Code::kNotFound);
  EXPECT_EQ(get({.path = ""}).code, Code::kInvalidArgument);
}

TEST_F(GuestFiles, NothingOfProcAndNothingThatBlocks) {
  EXPECT_EQ(get({.path = "/proc/self/environ"}).code, Code::kForbidden);
  EXPECT_EQ(code(Op::kStat, Writer().string("/proc/1").number(std::uint8_t{1})), Code::kForbidden);
  EXPECT_EQ(code(Op::kList, Writer().string("/proc").number(1u)), Code::kForbidden);
  EXPECT_EQ(get({.path = "/proc/self/exe"}).code, Code::kInvalidArgument);  // a magic link: ELOOP
  ASSERT_EQ(::symlink("/proc/self/environ", (dir / "link").c_str()), 0);
  EXPECT_EQ(get({.path = dir / "link"}).code, Code::kForbidden);
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0666), 0);
  EXPECT_EQ(get({.path = dir / "fifo"}).code, Code::kInvalidArgument);
  EXPECT_EQ(get({.path = "/dev/zero"}).code, Code::kInvalidArgument);
  EXPECT_EQ(put({.path = dir / "fifo"}, "x").code, Code::kInvalidArgument);
}

TEST_F(GuestFiles, HalfAPutLeavesNothing) {
  std::uint32_t channel = host.open(Op::kFilePut, PutArgs{.path = dir / "f"});
  host.send_data(channel, std::string(1'000'000, 'x'));
  EXPECT_GE(host[channel].credit, kWindow / 2);  // the guest has written, so the temporary file is
                                                 // there
  EXPECT_EQ(entries(), 1u);
  host.send(FrameType::kClose, channel, 0, "");
  host.finish(channel);
  EXPECT_EQ(entries(), 0u);
  channel = host.open(Op::kFilePut, PutArgs{.path = dir / "f"});
  host.send_data(channel, std::string(1'000'000, 'x'));
  host.close();
  Host next(guest);
  EXPECT_EQ(next.run(Op::kExecutions, Writer()).code, Code::kOk);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(GuestFiles, StatMkdirMoveRemoveChmod) {
  EXPECT_EQ(code(Op::kMkdir, Writer().string(dir / "d/e").number(0755u).number(std::uint8_t{0})),
            Code::kNotFound);
  EXPECT_EQ(code(Op::kMkdir, Writer().string(dir / "d/e").number(0755u).number(std::uint8_t{1})),
            Code::kOk);
  EXPECT_EQ(code(Op::kMkdir, Writer().string(dir / "d/e").number(0755u).number(std::uint8_t{1})),
            Code::kOk);
  EXPECT_EQ(code(Op::kMkdir, Writer().string(dir / "d").number(0755u).number(std::uint8_t{0})),
            Code::kAlreadyExists);
  spill(dir / "d/f", "12345");
  spill(dir / "d/g", "");
  EXPECT_EQ(
      code(Op::kMove, Writer().string(dir / "d/f").string(dir / "d/g").number(std::uint8_t{0})),
      Code::kAlreadyExists);
  EXPECT_EQ(
      code(Op::kMove, Writer().string(dir / "d/f").string(dir / "d/g").number(std::uint8_t{1})),
      Code::kOk);
  EXPECT_EQ(code(Op::kChmod, Writer().string(dir / "d/g").number(0600u)), Code::kOk);
  ASSERT_EQ(::symlink("g", (dir / "d/l").c_str()), 0);
  auto info = decoded<FileInfo>(
                  host.run(Op::kStat, Writer().string(dir / "d/l").number(std::uint8_t{1})).reply)
                  .value();
  EXPECT_EQ(info.kind, FileInfo::kFile);
  EXPECT_EQ(info.size, 5u);
  EXPECT_EQ(info.mode, 0600u);
  info = decoded<FileInfo>(
             host.run(Op::kStat, Writer().string(dir / "d/l").number(std::uint8_t{0})).reply)
             .value();
  EXPECT_EQ(info.kind, FileInfo::kSymlink);
  EXPECT_EQ(info.target, "g");
  EXPECT_EQ(code(Op::kRemove, Writer().string(dir / "d").number(std::uint8_t{0})),
            Code::kAlreadyExists);  // not empty
  EXPECT_EQ(code(Op::kRemove, Writer().string(dir / "d/l").number(std::uint8_t{0})), Code::kOk);
  EXPECT_EQ(code(Op::kRemove, Writer().string(dir / "d/e").number(std::uint8_t{0})), Code::kOk);
  EXPECT_EQ(code(Op::kRemove, Writer().string(dir / "nothing").number(std::uint8_t{1})),
            Code::kNotFound);
}

TEST_F(GuestFiles, RemovesTreesWithoutFollowingLinks) {
  TempDir outside;
  spill(outside / "precious", "x");
  fs::create_directories(dir / "t/a/b/c");
  for (int i = 0; i < 1000; ++i) spill(dir / ("t/a/" + std::to_string(i)), "x");
  fs::create_directory_symlink(outside.path(), dir / "t/a/link");
  EXPECT_EQ(code(Op::kRemove, Writer().string(dir / "t").number(std::uint8_t{1})), Code::kOk);
  EXPECT_EQ(entries(), 0u);
  EXPECT_TRUE(fs::exists(outside / "precious"));
  fs::create_directory_symlink(outside.path(), dir / "link");
  EXPECT_EQ(code(Op::kRemove, Writer().string(dir / "link").number(std::uint8_t{1})), Code::kOk);
  EXPECT_TRUE(fs::exists(outside / "precious"));
}

TEST_F(GuestFiles, ListsToADepth) {
  fs::create_directories(dir / "a/b/c");
  for (int i = 0; i < 5000; ++i) spill(dir / ("a/" + std::to_string(i)), "");
  fs::create_symlink("a", dir / "l");
  auto list = [&](std::uint32_t depth) {
    std::map<std::string, FileInfo> found;
    for (FileInfo& info : records_of<FileInfo>(
             host.run(Op::kList, Writer().string(dir.path()).number(depth)).data[1])) {
      found[info.path] = info;
    }
    return found;
  };
  EXPECT_EQ(list(1).size(), 2u);
  auto all = list(100);
  EXPECT_EQ(all.size(), 5004u);
  EXPECT_EQ(all.at("l").target, "a");
  EXPECT_EQ(all.at("a/b/c").kind, FileInfo::kDirectory);
  EXPECT_EQ(code(Op::kList, Writer().string(dir / "none").number(1u)), Code::kNotFound);
}

TEST_F(GuestFiles, LongListsLeaveOtherChannelsAlive) {
  for (int i = 0; i < 20000; ++i) spill(dir / std::to_string(i), "");
  host.auto_credit = false;
  std::uint32_t list = host.open(Op::kList, Writer().string(dir.path()).number(1u));
  host.until([&] { return host[list].data[1].size() == kWindow; });  // stuck for want of credit
  std::uint32_t other = host.open(Op::kExec, shell("echo alive"));
  EXPECT_EQ(host.finish(other).data[1], "alive\n");
  EXPECT_FALSE(host[list].eof[1]);
  host.auto_credit = true;
  host.credit(list, kStdout, kWindow);
  EXPECT_EQ(records(host.finish(list).data[1]).size(), 20000u);
}

TEST_F(GuestFiles, Searches) {
  fs::create_directories(dir / "src/deep");
  spill(dir / "src/a.py", "import os\nneedle here\n");
  spill(dir / "src/deep/b.py", std::string(200'000, 'x') + "needle");
  spill(dir / "src/c.txt", "needle");
  spill(dir / "src/bin.py", std::string("\0needle", 7));
  std::string cut(65536 - 3, 'y');  // the match straddles two blocks
  spill(dir / "src/d.py", cut + "needle");
  auto search = [&](SearchArgs args) {
    args.root = dir.path();
    std::set<std::string> found;
    Log& log = host.finish(host.open(Op::kSearch, args));
    for (FileInfo& info : records_of<FileInfo>(log.data[1])) found.insert(info.path);
    return found;
  };
  using Set = std::set<std::string>;
  EXPECT_EQ(search({.name_glob = "*.py", .contains = "needle"}),
            (Set{"src/a.py", "src/deep/b.py", "src/d.py"}));
  EXPECT_EQ(search({.name_glob = "*.txt"}), (Set{"src/c.txt"}));
  EXPECT_EQ(search({.contains = "import"}), (Set{"src/a.py"}));
  EXPECT_EQ(search({.name_glob = "", .max_results = 2}).size(), 2u);
  EXPECT_EQ(search({.contains = "nowhere"}), Set{});
}

TEST_F(GuestFiles, TreesRoundTrip) {
  fs::create_directories(dir / "from/a/b");
  spill(dir / "from/a/f", "hello");
  ::chmod((dir / "from/a/f").c_str(), 0751);
  spill(dir / "from/big", std::string(3'000'000, 'z'));
  spill(dir / "from/empty", "");
  fs::create_symlink("../x", dir / "from/a/link");
  Log& pack = host.run(Op::kTreeGet, Writer().string(dir / "from"));
  ASSERT_EQ(pack.code, Code::kOk);
  ASSERT_TRUE(pack.eof[1]);
  std::uint32_t channel = host.open(Op::kTreePut, Writer().string(dir / "new/to"));
  host.send_data(channel, pack.data[1]);
  host.send(FrameType::kEof, channel, kStdin, "");
  Log& put_log = host.finish(channel);
  ASSERT_EQ(put_log.code, Code::kOk) << put_log.reply;
  EXPECT_EQ(slurp(dir / "new/to/a/f"), "hello");
  EXPECT_EQ(slurp(dir / "new/to/big"), std::string(3'000'000, 'z'));
  EXPECT_TRUE(fs::exists(dir / "new/to/empty"));
  EXPECT_TRUE(fs::is_directory(dir / "new/to/a/b"));
  EXPECT_EQ(fs::read_symlink(dir / "new/to/a/link"), "../x");
  struct stat from{};
  struct stat to{};
  ASSERT_EQ(::stat((dir / "from/a/f").c_str(), &from), 0);
  ASSERT_EQ(::stat((dir / "new/to/a/f").c_str(), &to), 0);
  EXPECT_EQ(to.st_mode & 07777, 0751u);
  EXPECT_EQ(to.st_mtim.tv_sec, from.st_mtim.tv_sec);
  EXPECT_EQ(to.st_mtim.tv_nsec, from.st_mtim.tv_nsec);
  // Again over the old one: replaces.
  channel = host.open(Op::kTreePut, Writer().string(dir / "new/to"));
  host.send_data(channel, pack.data[1]);
  host.send(FrameType::kEof, channel, kStdin, "");
  EXPECT_EQ(host.finish(channel).code, Code::kOk);
}

TEST_F(GuestFiles, TreesDoNotFollowLinks) {
  TempDir outside;
  auto put_pack = [&](const std::string& bytes) {
    std::uint32_t channel = host.open(Op::kTreePut, Writer().string(dir / "t"));
    host.send_data(channel, bytes);
    host.send(FrameType::kEof, channel, kStdin, "");
    return *host.finish(channel).code;
  };
  std::string end(pack_end());
  std::string link =
      pack_entry({.kind = FileInfo::kSymlink, .mode = 0777, .path = "l", .target = outside.path()});
  std::string through = pack_entry({.size = 1, .path = "l/evil"}) + "x";
  EXPECT_EQ(put_pack(link + through + end), Code::kInvalidArgument);
  EXPECT_FALSE(fs::exists(outside / "evil"));
  EXPECT_EQ(put_pack(pack_entry({.size = 1, .path = "../evil"}) + "x" + end),
            Code::kInvalidArgument);
  EXPECT_FALSE(fs::exists(dir / "evil"));
  EXPECT_EQ(put_pack(pack_entry({.size = 1, .path = "made/parents/f"}) + "x" + end), Code::kOk);
  EXPECT_EQ(slurp(dir / "t/made/parents/f"), "x");
  EXPECT_EQ(put_pack(pack_entry({.size = 5, .path = "cut"}) + "x"), Code::kInvalidArgument);
  EXPECT_FALSE(fs::exists(dir / "t/cut"));
  for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".atoll-put-")) << entry.path();
  }
}

TEST_F(GuestFiles, WatchesRecursively) {
  fs::create_directories(dir / "a/b");
  std::uint32_t watch = host.open(Op::kWatch, Writer().string(dir.path()).number(std::uint8_t{1}));
  ASSERT_EQ(host.replied(watch).code, Code::kOk);
  spill(dir / "a/b/f", "x");
  fs::rename(dir / "a/b/f", dir / "a/g");
  fs::remove(dir / "a/g");
  fs::create_directories(dir / "new");
  spill(dir / "new/inner", "x");
  auto seen = [&](std::uint8_t kind, const std::string& path) {
    auto events = records_of<WatchEvent>(host[watch].data[1]);
    return std::any_of(events.begin(), events.end(),
                       [&](const WatchEvent& e) { return e.kind == kind && e.path == path; });
  };
  EXPECT_TRUE(host.until([&] { return seen(WatchEvent::kCreated, "new/inner"); }));
  EXPECT_TRUE(seen(WatchEvent::kCreated, "a/b/f"));
  EXPECT_TRUE(seen(WatchEvent::kModified, "a/b/f"));
  EXPECT_TRUE(seen(WatchEvent::kMoved, "a/b/f"));
  EXPECT_TRUE(seen(WatchEvent::kCreated, "a/g"));
  EXPECT_TRUE(seen(WatchEvent::kRemoved, "a/g"));
  host.send(FrameType::kClose, watch, 0, "");
  EXPECT_TRUE(host.finish(watch).closed);
}

// As root, programs and file operations are those of another user; otherwise of ourselves.
TEST(GuestUser, ProgramsAndFilesHaveTheUsersRights) {
  uid_t user = ::getuid() == 0 ? 1234 : ::getuid();
  GuestProcess guest(user);
  Host host(guest);
  TempDir dir;
  spill(dir / "secret", "x");
  ASSERT_EQ(::chmod((dir / "secret").c_str(), 0000), 0);
  ASSERT_EQ(::chmod(dir.path().c_str(), 0777), 0);
  Log& run =
      host.finish(host.open(Op::kExec, shell("id -u; id -G | wc -w; cat " + dir / "secret" +
                                             " 2>&1 | wc -l; "
                                             "grep -E 'Cap(Inh|Prm|Eff|Amb)' /proc/self/status")));
  EXPECT_TRUE(run.data[1].starts_with(std::to_string(user) + "\n")) << run.data[1];
  std::string none;
  for (const char* set : {"Inh", "Prm", "Eff", "Amb"}) {
    none += std::string("Cap") + set + ":\t0000000000000000\n";
  }
  EXPECT_TRUE(run.data[1].ends_with(none)) << run.data[1];
  EXPECT_EQ(host.finish(host.open(Op::kFileGet, GetArgs{.path = dir / "secret"})).code,
            Code::kForbidden);
  std::uint32_t channel =
      host.open(Op::kFilePut, PutArgs{.path = dir / "mine/f", .make_parents = 1});
  host.send(FrameType::kEof, channel, kStdin, "");
  ASSERT_EQ(host.finish(channel).code, Code::kOk);
  for (const char* name : {"mine", "mine/f"}) {
    struct stat status{};
    ASSERT_EQ(::stat((dir / name).c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, user);
  }
  ExecArgs args = shell("stat -c %u $(tty)");
  args.flags = ExecArgs::kTty;
  EXPECT_EQ(host.finish(host.open(Op::kExec, args)).data[1], std::to_string(user) + "\r\n");
}

TEST_F(GuestFiles, ConnectsToAPort) {
  UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  ::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size);
  std::uint32_t channel = host.open(Op::kConnect, Writer().number(ntohs(address.sin_port)));
  host.send_data(channel, "early ");
  ASSERT_EQ(host.replied(channel).code, Code::kOk);
  UniqueFd peer(::accept(server.get(), nullptr, nullptr));
  host.send_data(channel, "hello");
  host.send(FrameType::kEof, channel, kStdin, "");
  std::string got;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(peer.get(), buffer, sizeof buffer)) > 0;) {
    got.append(buffer, static_cast<std::size_t>(n));
  }
  EXPECT_EQ(got, "early hello");
  std::string answer(100'000, 'a');
  ASSERT_EQ(::write(peer.get(), answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
  peer.reset();
  EXPECT_EQ(host.finish(channel).data[1], answer);
  server.reset();
  EXPECT_EQ(host.run(Op::kConnect, Writer().number(ntohs(address.sin_port))).code, Code::kNotFound);
}

}  // namespace
}  // namespace atl::guest::test
