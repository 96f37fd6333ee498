#include "backends/native/zygotes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include <boost/describe/class.hpp>

#include "async/deadline.hpp"
#include "async/stream.hpp"
#include "backends/native/fixed_text.hpp"
#include "codec/json.hpp"

namespace atl::backends::native {
namespace {

using async::Task;
using sandbox::Preload;
using sandbox::ZygoteReport;

constexpr std::chrono::seconds kLoadTime{150};  // the launcher ends a zygote that loads for longer
constexpr std::size_t kMaxWord = 64 * 1024;

// FNV-1a: a name, not a secret.
class Sum {
 public:
  Sum& add(std::string_view bytes) {
    for (char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    value_ = (value_ ^ 0xff) * 0x100000001b3;  // "a b" is not "ab"
    return *this;
  }
  // Where and how old something is; a missing one counts as well.
  Sum& add_state(const std::string& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) return add("-");
    return add(std::to_string(info.st_ino))
        .add(std::to_string(info.st_size))
        .add(std::to_string(info.st_mtim.tv_sec))
        .add(std::to_string(info.st_mtim.tv_nsec));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// The file or folder of a module, without a look at what else lies in it.
void add_module(Sum& sum, const std::string& folder, std::string_view module) {
  std::string path = folder + "/";
  for (char letter : module) path += letter == '.' ? '/' : letter;
  sum.add_state(path + ".py").add_state(path).add_state(path + "/__init__.py");
}

// The id names the request; many may ask for the same zygote at once.
Result<engine::ZygoteRequest> make_request(const Preload& preload) {
  static std::uint64_t count = 0;
  engine::ZygoteRequest request;
  ATOLL_TRY(request.key, zygote_key(preload));
  std::string name = "zygote-" + std::to_string(++count);
  ATOLL_CHECK(copy_text(request.header.id.text, name, "the request's name"));
  return request;
}

struct Word {
  bool ready = false;
  std::vector<std::string> loaded;
  std::map<std::string, std::string> missing;
  std::optional<int> threads;
};
BOOST_DESCRIBE_STRUCT(Word, (), (ready, loaded, missing, threads))

// Its line, or what there is when it ends: whatever the modules have started may hold the pipe.
Task<Result<std::string>> read_line(async::Stream* pipe) {
  std::string text;
  while (text.size() < kMaxWord && !text.ends_with('\n')) {
    char bytes[4096];
    ATOLL_CO_TRY(std::size_t size, co_await pipe->read_some(bytes));
    if (size == 0) break;
    text.append(bytes, size);
  }
  co_return text;
}

}  // namespace

std::vector<std::string> package_folders() {
  std::vector<std::string> found{"/usr/lib/python3/dist-packages"};
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/usr/local/lib"), &::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    std::string name(entry->d_name);
    if (!name.starts_with("python3")) continue;
    found.push_back("/usr/local/lib/" + name + "/dist-packages");
    found.push_back("/usr/local/lib/" + name + "/site-packages");
  }
  std::ranges::sort(found);
  return found;
}

std::uint64_t package_stamp(const Preload& preload, const std::vector<std::string>& folders) {
  Sum sum;
  sum.add_state("/usr/bin/python3");
  // An installed or upgraded package changes the time of the folder it lies in.
  for (const std::string& folder : folders) sum.add(folder).add_state(folder);
  for (const std::string& module : preload.modules) {
    sum.add(module);
    for (const std::string& folder : folders) add_module(sum, folder, module);
  }
  return sum.value();
}

Result<engine::ZygoteKey> zygote_key(const Preload& preload) {
  engine::ZygoteKey key{.stamp = package_stamp(preload),
                        .idle_seconds = static_cast<std::uint32_t>(preload.idle.count())};
  std::string modules = preload.for_contexts ? "" : "--no-ipython";
  for (const std::string& module : preload.modules) {
    modules += (modules.empty() ? "" : " ") + module;
  }
  if (!modules.empty()) ATOLL_CHECK(copy_text(key.modules, modules, "the preload list"));
  return key;
}

Task<Result<ZygoteReport>> start_zygote(async::Executor executor,
                                        std::shared_ptr<LauncherClient> launcher, Preload preload) {
  ATOLL_CO_TRY(engine::ZygoteRequest request, make_request(preload));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) co_return fail_errno("pipe");
  async::Stream word(executor, UniqueFd(ends[0]), async::FdKind::kOwned);
  UniqueFd theirs(ends[1]);
  std::vector<int> given{theirs.get()};
  Result<engine::LauncherReply> reply = co_await launcher->zygote(request, given);
  theirs.reset();
  if (!reply) co_return fail(std::move(reply).error());
  if (reply->zygote == 0) co_return ZygoteReport{};
  ATOLL_CO_TRY(std::string text,
               co_await async::with_deadline(read_line(&word), async::deadline_in(kLoadTime),
                                             Code::kCreateTimeout,
                                             "the modules to preload did not load in time"));
  codec::Decoded<Word> said = codec::decode<Word>(text, {.ignore_unknown = true});
  if (!said || !said->ready) {
    co_return fail(Code::kInvalidArgument,
                   "a module to preload ended or blocked the interpreter while it was loaded");
  }
  co_await meet_zygote(launcher, preload);
  co_return ZygoteReport{
      .started = true, .loaded = std::move(said->loaded), .missing = std::move(said->missing)};
}

Task<void> meet_zygote(std::shared_ptr<LauncherClient> launcher, Preload preload) {
  constexpr std::chrono::seconds kOften{1};  // looking for it takes a process
  Result<engine::ZygoteRequest> request = make_request(preload);
  if (!request) co_return;
  LauncherClient::Meeting& meeting = launcher->meeting(request->key);
  auto now = std::chrono::steady_clock::now();
  if (meeting.met || now - meeting.asked < kOften) co_return;
  meeting.asked = now;
  Result<engine::LauncherReply> reply = co_await launcher->zygote(*request, {});
  meeting.met = reply.has_value();
}

void miss_zygote(LauncherClient& launcher, const Preload& preload) {
  if (Result<engine::ZygoteKey> key = zygote_key(preload)) launcher.meeting(*key).met = false;
}

Result<void> leave_zygote(LauncherClient& launcher, const Preload& preload) {
  ATOLL_TRY(engine::ZygoteRequest request, make_request(preload));
  int ends[2];  // it has to be a pipe, though nobody reads it
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  UniqueFd reading(ends[0]), writing(ends[1]);
  const int given[] = {writing.get()};
  return launcher.post_zygote(request, given);
}

}  // namespace atl::backends::native
