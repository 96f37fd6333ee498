#include "cli/remote/mcp_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include <boost/json/object.hpp>

#include "async/child.hpp"
#include "async/deadline.hpp"
#include "async/stream.hpp"
#include "base/program_folder.hpp"
#include "base/spawn_setup.hpp"
#include "codec/json.hpp"

namespace atl::cli {

using async::Task;

namespace {

constexpr std::chrono::seconds kStartPatience{60};
constexpr std::chrono::seconds kStopPatience{15};
constexpr std::chrono::seconds kEndPatience{2};
constexpr std::chrono::milliseconds kEndStep{5};
constexpr std::size_t kMaxSaid = 64u << 10;
constexpr std::string_view kListens = "atoll listens on ";

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe2");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// `atoll WORDS`, with these as its standard input and output; its stderr is ours.
Result<Child> start_atoll(const std::vector<std::string>& words, const UniqueFd& in,
                          const UniqueFd& out) {
  ATOLL_TRY(std::string folder, program_folder());
  std::string program = folder + "/atoll";
  std::vector<char*> argv{program.data()};
  std::vector<std::string> copies = words;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  SpawnSetup setup;
  ::posix_spawn_file_actions_adddup2(&setup.actions, in.get(), 0);
  ::posix_spawn_file_actions_adddup2(&setup.actions, out.get(), 1);
  sigset_t none;
  ::sigemptyset(&none);
  sigset_t usual;
  ::sigemptyset(&usual);
  ::sigaddset(&usual, SIGPIPE);
  ::posix_spawnattr_setsigmask(&setup.attributes, &none);
  ::posix_spawnattr_setsigdefault(&setup.attributes, &usual);
  // A session of its own: the terminal's Ctrl-C is for us, and we end it in order.
  ::posix_spawnattr_setflags(&setup.attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  int error =
      ::posix_spawn(&pid, program.c_str(), &setup.actions, &setup.attributes, argv.data(), environ);
  if (error != 0) return fail_errno("starting atoll, which should lie beside this program", error);
  return Child::own(pid);
}

Task<Result<std::string>> read_until(async::Stream* stream, std::string_view wanted) {
  std::string said;
  std::string buffer(4096, '\0');
  for (;;) {
    std::size_t found = wanted.empty() ? said.npos : said.find(wanted);
    if (found != said.npos && said.find('\n', found) != said.npos) co_return said;
    ATOLL_CO_TRY(std::size_t got, co_await stream->read_some(buffer));
    if (got == 0) co_return said;
    said.append(buffer, 0, got);
    if (said.size() > kMaxSaid)
      co_return fail(Code::kTooLarge, "a message of the server is too long");
  }
}

Task<Result<ChildExit>> wait_exit(Child* child) { return async::wait_child(*child); }

std::string line_behind(const std::string& said, std::string_view mark) {
  std::size_t begin = said.find(mark);
  if (begin == said.npos) return {};
  begin += mark.size();
  return said.substr(begin, said.find('\n', begin) - begin);
}

}  // namespace

bool OwnServer::runs() const {
  if (!child_) return false;
  pollfd ended{.fd = child_.pidfd().get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) == 0;
}

Result<void> OwnServer::make_folder() {
  if (!options_.data.empty()) {
    folder_ = options_.data;
    return {};
  }
  std::error_code why;
  std::string pattern = std::filesystem::temp_directory_path(why).string() + "/atoll-mcp-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return fail_errno("making a temporary folder");
  folder_ = std::move(pattern);
  return {};
}

// A random one, which no command line shows.
Task<Result<std::string>> OwnServer::make_key() {
  ATOLL_CO_TRY(Pipe out, make_pipe());
  UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) co_return fail_errno("opening /dev/null");
  ATOLL_CO_TRY(Child child, start_atoll({"key", "create", "--data", folder_, "--role", "owner",
                                         "--name", "atoll mcp", "-o", "json"},
                                        nothing, out.write));
  out.write.reset();
  async::Stream stream(executor_, std::move(out.read), async::FdKind::kOwned);
  ATOLL_CO_TRY(std::string said, co_await async::with_deadline(
                                     read_until(&stream, ""), async::deadline_in(kStartPatience),
                                     Code::kCreateTimeout, "making a key took too long"));
  (void)co_await async::with_deadline(wait_exit(&child), async::deadline_in(kStartPatience),
                                      Code::kCreateTimeout, "making a key took too long");
  auto document = codec::parse(said);
  const boost::json::object* members = document ? document->if_object() : nullptr;
  const boost::json::value* secret = members != nullptr ? members->if_contains("secret") : nullptr;
  if (secret == nullptr || !secret->is_string()) {
    co_return fail(Code::kInternal, "atoll key create made no key");
  }
  co_return std::string(std::string_view(secret->get_string()));
}

Task<Result<void>> OwnServer::start() {
  ATOLL_CO_CHECK(make_folder());
  ATOLL_CO_TRY(address_.key, co_await make_key());
  ATOLL_CO_TRY(Pipe in, make_pipe());
  ATOLL_CO_TRY(Pipe out, make_pipe());
  std::vector<std::string> words{"serve", "--data",         folder_, "--listen",   "127.0.0.1:0",
                                 "--set", "log.level=warn", "--set", "pool.size=1"};
  if (options_.data.empty()) words.emplace_back("--temporary");
  for (const std::string& one : options_.sets) {
    words.emplace_back("--set");
    words.push_back(one);
  }
  ATOLL_CO_TRY(child_, start_atoll(words, in.read, out.write));
  lifeline_ = std::move(in.write);
  out.write.reset();
  async::Stream stream(executor_, std::move(out.read), async::FdKind::kOwned);
  ATOLL_CO_TRY(std::string said, co_await async::with_deadline(read_until(&stream, kListens),
                                                               async::deadline_in(kStartPatience),
                                                               Code::kCreateTimeout,
                                                               "the server did not start in time"));
  address_.url = line_behind(said, kListens);
  if (address_.url.empty()) {
    co_return fail(Code::kInternal, "the server did not start: standard error says why");
  }
  co_return Result<void>();
}

// A killed process closes its connections some time before it has ended.
Task<void> OwnServer::see_whether_it_ends() {
  async::Deadline deadline = async::deadline_in(kEndPatience);
  while (runs() && std::chrono::steady_clock::now() < deadline) co_await async::sleep_for(kEndStep);
}

Task<Result<client::Address>> OwnServer::address(bool again) {
  if (again) co_await see_whether_it_ends();
  if (!runs()) {
    co_await stop();
    ATOLL_CO_CHECK(co_await start());
  }
  co_return address_;
}

Task<void> OwnServer::stop() {
  lifeline_.reset();
  if (child_) {
    if (!options_.data.empty()) (void)child_.kill(SIGTERM);
    Result<ChildExit> ended =
        co_await async::with_deadline(wait_exit(&child_), async::deadline_in(kStopPatience),
                                      Code::kTransferTimeout, "the server does not end");
    if (!ended && child_) (void)child_.kill(SIGKILL);
    child_ = Child();
  }
  if (!options_.data.empty() || folder_.empty()) co_return;
  std::error_code ignored;  // what a killed server left
  std::filesystem::remove_all(folder_, ignored);
  folder_.clear();
}

}  // namespace atl::cli
