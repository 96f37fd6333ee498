// Line 6: files in and out while the sandbox plays with symlinks, fifos and forged packs. The host
// must never read or write one of its own files on a sandbox's word, and never wait for it for
// ever.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "async/deadline.hpp"
#include "async/run.hpp"
#include "guest/pack.hpp"
#include "sandbox/registry.hpp"

namespace atl::sandbox {
namespace {

namespace fs = std::filesystem;
using async::Task;
using guest::PackEntry;

constexpr std::chrono::seconds kPatience{60};
constexpr const char* kSecret = "the host's own content";

// What one case works with: a started sandbox, and a file of the host that nobody inside may reach.
struct Stage {
  Sandbox* sandbox = nullptr;
  std::string canary;  // on the host, in its /tmp
};

std::string read_host(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Task<Result<void>> as_result(Task<void> body) {
  co_await std::move(body);
  co_return Result<void>();
}

Task<void> play(async::Executor executor, std::string run_folder, Task<void> (*body)(Stage*),
                Stage* stage) {
  Registry registry;
  backends::register_all_backends(registry);
  auto entry = registry.get("native");
  if (!entry) {
    ADD_FAILURE() << entry.error().message();
    co_return;
  }
  BackendOptions options{.executor = executor, .run_folder = run_folder};
  options.state_folder = run_folder + "-state";
  auto backend = (*entry)->make(std::move(options));
  if (!backend) {
    ADD_FAILURE() << backend.error().message();
    co_return;
  }
  auto sandbox = co_await (*backend)->create(SandboxSpec{.id = SandboxId::make()});
  if (!sandbox) {
    ADD_FAILURE() << sandbox.error().message();
    co_return;
  }
  Result<void> started = co_await (*sandbox)->start();
  if (!started) {
    ADD_FAILURE() << started.error().message();
    co_return;
  }
  stage->sandbox = sandbox->get();
  Result<void> done = co_await async::with_deadline(
      as_result(body(stage)), async::deadline_in(kPatience), Code::kExecTimeout, "the case hangs");
  if (!done) ADD_FAILURE() << done.error().message();
  Result<void> stopped = co_await (*sandbox)->stop();
  if (!stopped) ADD_FAILURE() << stopped.error().message();
}

class FileSymlinks : public ::testing::Test {
 protected:
  void run(Task<void> (*body)(Stage*)) {
    ASSERT_EQ(::geteuid(), 0u) << "as root, so that a mistake would have root's consequences";
    char name[] = "/tmp/atoll-links-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    std::string folder = name;
    stage_.canary = folder + "/canary";
    std::ofstream(stage_.canary) << kSecret;
    std::string run_folder = folder + "/run";
    async::run_to_end<void>([&](async::Executor executor) {
      return play(std::move(executor), run_folder, body, &stage_);
    });
    EXPECT_EQ(read_host(stage_.canary), kSecret) << "a file of the host was written";
    EXPECT_FALSE(fs::exists(folder + "/evil") || fs::exists("/evil") || fs::exists("/tmp/evil"));
    while (::waitpid(-1, nullptr, 0) > 0) {  // the launcher, which tidies up its folder at its end
    }
    fs::remove_all(folder);
  }
  Stage stage_;
};

Task<void> shell(Stage* stage, std::string script) {
  auto result = co_await stage->sandbox->exec(ExecRequest::shell(std::move(script)));
  if (!result) {
    ADD_FAILURE() << result.error().message();
  } else if (result->status.exit_code != 0) {
    ADD_FAILURE() << "exit " << result->status.exit_code << ": " << result->output;
  }
}

// Whatever comes back, it is neither the host's secret nor the guest's own memory or descriptors.
Task<void> expect_no_secret(Stage* stage, std::string path) {
  auto text = co_await stage->sandbox->get_text(path);
  if (text) {
    EXPECT_EQ(text->find(kSecret), std::string::npos) << path;
    EXPECT_EQ(text->find("root:$"), std::string::npos) << path << " gave a shadow file";
    EXPECT_EQ(text->find("ELF"), std::string::npos) << path << " gave a program";
  }
}

Task<void> reading_through_links(Stage* stage) {
  // Links within the sandbox work: a refusal of everything would prove nothing.
  co_await shell(stage, "echo inside > /tmp/own; ln -s /tmp/own /workspace/own");
  auto own = co_await stage->sandbox->get_text("/workspace/own");
  EXPECT_TRUE(own && *own == "inside\n");
  constexpr const char* kTargets[] = {"/etc/shadow", "/proc/1/root/etc/shadow",
                                      "/proc/self/root/etc/shadow", "/../../../../etc/shadow",
                                      "/proc/1/cwd/../etc/shadow"};
  std::string script = "cd /workspace; ln -s " + stage->canary + " host; mkdir d; ln -s " +
                       fs::path(stage->canary).parent_path().string() +
                       " d/up; ln -s / root; ln -s .. dots";
  co_await shell(stage, script);
  co_await expect_no_secret(stage, "/workspace/host");
  co_await expect_no_secret(stage, "/workspace/d/up/canary");
  co_await expect_no_secret(stage, "/workspace/root" + stage->canary);
  co_await expect_no_secret(stage, "/workspace/dots/.." + stage->canary);
  for (const char* target : kTargets) {
    co_await shell(stage, std::string("ln -sfn ") + target + " /workspace/shadow");
    co_await expect_no_secret(stage, "/workspace/shadow");
    co_await expect_no_secret(stage, target);
  }
}

// /proc/self is the guest when the guest opens it: its memory holds the token, its descriptors the
// listening socket and the cgroup files.
Task<void> the_guest_itself(Stage* stage) {
  std::vector<std::string> names = {
      "/proc/self/mem",     "/proc/self/environ", "/proc/self/maps",    "/proc/self/exe",
      "/proc/1/exe",        "/proc/1/environ",    "/proc/self/cmdline", "/proc/thread-self/environ",
      "/proc/self/fdinfo/3"};
  std::size_t files = names.size();
  for (int fd = 0; fd < 32; ++fd) {
    for (const char* way : {"/proc/self/fd/", "/proc/1/fd/", "/dev/fd/"}) {
      names.push_back(way + std::to_string(fd));
    }
  }
  std::string links = "cd /workspace";
  for (std::size_t i = 0; i < names.size(); ++i) {
    links += "; ln -s " + names[i] + " link" + std::to_string(i);
  }
  co_await shell(stage, links);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_FALSE(co_await stage->sandbox->get_text(names[i])) << names[i] << " can be got";
    std::string link = "/workspace/link" + std::to_string(i);
    EXPECT_TRUE(co_await stage->sandbox->stat(link)) << link;
    EXPECT_FALSE(co_await stage->sandbox->get_text(link)) << names[i] << " through a link";
    if (i < files) continue;
    EXPECT_FALSE(co_await stage->sandbox->put_text(names[i], "0\n")) << names[i] << " can be put";
  }
  auto list = co_await stage->sandbox->list("/proc/self/fd", 1);
  EXPECT_FALSE(list) << "the guest's descriptors are listed";
  auto put = co_await stage->sandbox->put_text("/proc/self/oom_score_adj", "-1000");
  EXPECT_FALSE(put);
}

Task<void> writing_through_links(Stage* stage) {
  std::string host_folder = fs::path(stage->canary).parent_path().string();
  co_await shell(stage, "cd /workspace; ln -s " + stage->canary + " host; ln -s " + host_folder +
                            " folder; ln -s / root");
  // A put replaces the link or fails; where the folder exists only on the host it must fail.
  (void)co_await stage->sandbox->put_text("/workspace/host", "evil");
  EXPECT_FALSE(co_await stage->sandbox->put_text("/workspace/folder/evil", "evil"));
  EXPECT_FALSE(co_await stage->sandbox->put_text("/workspace/root/evil", "evil"));
  EXPECT_FALSE(co_await stage->sandbox->put_text("/workspace/root/etc/evil", "evil"));
  EXPECT_FALSE(co_await stage->sandbox->put_text("/etc/evil", "evil"));
  EXPECT_FALSE(co_await stage->sandbox->put_text("/usr/evil", "evil"));
  EXPECT_FALSE(co_await stage->sandbox->put_text("/proc/sys/kernel/core_pattern", "|/evil"));
  EXPECT_FALSE(co_await stage->sandbox->make_dir("/workspace/root/evil", 0777, true));
  EXPECT_FALSE(co_await stage->sandbox->chmod("/workspace/root/etc/passwd", 0777));
  EXPECT_FALSE(co_await stage->sandbox->move("/workspace/host", "/etc/evil", true));
  // Removing a link removes the link.
  (void)co_await stage->sandbox->remove("/workspace/root", true);
  EXPECT_TRUE(co_await stage->sandbox->stat("/usr/bin/env"));
}

// What was put belongs to the user, whatever was asked for.
Task<void> puts_give_no_power(Stage* stage) {
  EXPECT_TRUE(co_await stage->sandbox->put_text("/workspace/tool", "#!/bin/sh\n", 06777));
  auto info = co_await stage->sandbox->stat("/workspace/tool");
  if (!info) {
    ADD_FAILURE() << info.error().message();
    co_return;
  }
  EXPECT_EQ(info->mode & 06000, 0u) << "a set-user-id bit was kept";
  EXPECT_EQ(info->uid, 1000u);
  EXPECT_TRUE(co_await stage->sandbox->make_dir("/workspace/dir", 0777, false));
  info = co_await stage->sandbox->stat("/workspace/dir");
  if (!info) {
    ADD_FAILURE() << info.error().message();
    co_return;
  }
  EXPECT_EQ(info->uid, 1000u);
}

// A folder and a link to the host take turns under one name, as fast as they can.
Task<void> races(Stage* stage) {
  std::string host_folder = fs::path(stage->canary).parent_path().string();
  std::string flip = R"PY(
import ctypes, os
os.chdir('/workspace')
os.makedirs('real', exist_ok=True)
open('real/canary', 'w').write('inside')
os.symlink('HOST', 'link')
os.symlink('real', 'name') if not os.path.lexists('name') else None
libc = ctypes.CDLL(None)
print('ready', flush=True)
while True:
    libc.syscall(316, -100, b'real', -100, b'link', 2)
)PY";
  flip.replace(flip.find("HOST"), 4, host_folder);
  ExecRequest request{.argv = {"/usr/bin/python3", "-c", flip},
                      .background = true,
                      .timeout = std::chrono::seconds(50)};
  auto racer = co_await stage->sandbox->spawn(std::move(request));
  if (!racer) {
    ADD_FAILURE() << racer.error().message();
    co_return;
  }
  auto first = co_await (*racer)->read();
  int got = 0;
  for (int i = 0; i < 400; ++i) {
    auto text = co_await stage->sandbox->get_text("/workspace/real/canary");
    if (text) {
      ++got;
      EXPECT_EQ(text->find(kSecret), std::string::npos);
    }
    (void)co_await stage->sandbox->put_text("/workspace/real/canary", "inside");
    (void)co_await stage->sandbox->put_text("/workspace/real/evil", "evil");
    (void)co_await stage->sandbox->make_dir("/workspace/real/evil-dir", 0755, true);
    (void)co_await stage->sandbox->remove("/workspace/real/evil-dir", true);
  }
  EXPECT_GT(got, 0) << "the folder was never there: nothing was tested";
  EXPECT_LT(got, 400) << "the link was never there: nothing was tested";
  (void)co_await (*racer)->signal(9);
}

// Nothing to wait for: fifos, sockets, devices, folders.
Task<void> odd_files(Stage* stage) {
  co_await shell(
      stage,
      "cd /workspace; mkfifo fifo; mkdir dir; ln -s loop loop; ln -s /dev/zero zero; "
      "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('/workspace/sock')\"");
  for (const char* name :
       {"fifo", "dir", "loop", "zero", "sock", "/dev/zero", "/dev/tty", "/dev/stdin"}) {
    auto text = co_await stage->sandbox->get_text(name);
    EXPECT_FALSE(text) << name << " was read as a file";
  }
  EXPECT_FALSE(co_await stage->sandbox->put_text("fifo", "x"));
  EXPECT_FALSE(co_await stage->sandbox->put_text("dir", "x"));
  auto tree = co_await stage->sandbox->get_tree("/workspace");
  if (!tree) {
    ADD_FAILURE() << tree.error().message();
    co_return;
  }
  for (;;) {
    auto bytes = co_await (*tree)->read();
    if (!bytes || bytes->empty()) break;
    EXPECT_EQ(bytes->find(kSecret), std::string::npos);
  }
}

std::string packed(const PackEntry& entry, std::string_view content = {}) {
  return guest::pack_entry(entry).append(content);
}

// The pack's own reader refuses names that lead out; links that the pack brings are not followed.
Task<void> forged_packs(Stage* stage) {
  std::string host_folder = fs::path(stage->canary).parent_path().string();
  const std::string names[] = {
      std::string("../evil"), std::string("/evil"),   std::string("a/../../evil"),
      std::string("./evil"),  std::string("a//evil"), std::string(".."),
      std::string(""),        std::string("a\0b", 3), std::string(5000, 'a')};
  for (const std::string& name : names) {
    auto upload = co_await stage->sandbox->put_tree("/workspace/tree");
    if (!upload) {
      ADD_FAILURE() << upload.error().message();
      co_return;
    }
    (void)co_await (*upload)->write(packed({.size = 4, .path = name}, "evil") +
                                    std::string(guest::pack_end()));
    Result<void> done = co_await (*upload)->finish();
    EXPECT_FALSE(done) << "a pack with the name \"" << name.substr(0, 40) << "\" was taken";
  }
  const std::string targets[] = {std::string("/tmp"), std::string("/"), std::string(".."),
                                 host_folder, std::string("/proc/self/root")};
  for (const std::string& target : targets) {
    auto upload = co_await stage->sandbox->put_tree("/workspace/tree");
    if (!upload) {
      ADD_FAILURE() << upload.error().message();
      co_return;
    }
    std::string pack = packed({.kind = FileInfo::kSymlink, .path = "way", .target = target});
    pack += packed({.size = 4, .path = "way/evil"}, "evil");
    pack += guest::pack_end();
    (void)co_await (*upload)->write(pack);
    Result<void> done = co_await (*upload)->finish();
    EXPECT_FALSE(done) << "a file went through the link to " << target;
    EXPECT_FALSE(co_await stage->sandbox->stat("/tmp/evil"))
        << "a file was made through the link to " << target;
    EXPECT_FALSE(co_await stage->sandbox->stat("/workspace/evil"))
        << "a file was made through the link to " << target;
  }
  // Kinds that no pack may hold.
  for (std::uint8_t kind : {std::uint8_t{4}, std::uint8_t{5}, std::uint8_t{255}}) {
    auto upload = co_await stage->sandbox->put_tree("/workspace/tree");
    if (!upload) co_return;
    (void)co_await (*upload)->write(packed({.kind = kind, .path = "odd"}) +
                                    std::string(guest::pack_end()));
    EXPECT_FALSE(co_await (*upload)->finish()) << "kind " << int{kind};
  }
  // Set-user-id bits do not come with a pack.
  auto upload = co_await stage->sandbox->put_tree("/workspace/tree");
  if (!upload) co_return;
  (void)co_await (*upload)->write(packed({.mode = 06777, .size = 1, .path = "tool"}, "x") +
                                  std::string(guest::pack_end()));
  EXPECT_TRUE(co_await (*upload)->finish());
  auto info = co_await stage->sandbox->stat("/workspace/tree/tool");
  if (!info) {
    ADD_FAILURE() << info.error().message();
    co_return;
  }
  EXPECT_EQ(info->mode & 06000, 0u);
}

TEST_F(FileSymlinks, ReadingThroughLinks) { run(reading_through_links); }
TEST_F(FileSymlinks, TheGuestItself) { run(the_guest_itself); }
TEST_F(FileSymlinks, WritingThroughLinks) { run(writing_through_links); }
TEST_F(FileSymlinks, PutsGiveNoPower) { run(puts_give_no_power); }
TEST_F(FileSymlinks, Races) { run(races); }
TEST_F(FileSymlinks, OddFiles) { run(odd_files); }
TEST_F(FileSymlinks, ForgedPacks) { run(forged_packs); }

}  // namespace
}  // namespace atl::sandbox
