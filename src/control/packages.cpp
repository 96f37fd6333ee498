#include "control/packages.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "async/child.hpp"
#include "async/deadline.hpp"
#include "control/sha256.hpp"
#include "observe/log.hpp"

namespace atl::control {

using async::Task;

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kInstallTime{10};
constexpr const char* kPython = "/usr/bin/python3";  // the one that sandboxes have
constexpr std::size_t kShown = 500;                  // of what pip says

// Plain HTTP is refused by pip unless the host is named: who configured it knows.
std::string host_of(const std::string& url) {
  std::size_t begin = url.find("://");
  if (begin == std::string::npos) return {};
  std::string host = url.substr(begin + 3, url.find('/', begin + 3) - begin - 3);
  return host.substr(host.find('@') == std::string::npos ? 0 : host.find('@') + 1);
}

// The index may hold a password, so it goes by the environment, which only the own user can read.
std::vector<std::string> environment(const std::string& index_url, const std::string& home) {
  std::vector<std::string> all{"PATH=/usr/bin:/bin", "LANG=C.UTF-8",
                               "HOME=" + home,       "PIP_CONFIG_FILE=/dev/null",
                               "PIP_NO_INPUT=1",     "PIP_INDEX_URL=" + index_url};
  if (index_url.starts_with("http://")) all.push_back("PIP_TRUSTED_HOST=" + host_of(index_url));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

Result<Child> start_pip(const std::string& staging, const std::string& index_url,
                        const std::vector<std::string>& packages) {
  std::error_code error;
  fs::remove_all(staging, error);
  fs::create_directories(staging + "/tree", error);
  if (error) return fail_errno("making a folder for packages", error.value());
  std::vector<std::string> words{kPython,
                                 "-m",
                                 "pip",
                                 "install",
                                 "--quiet",
                                 "--no-cache-dir",
                                 "--no-compile",
                                 "--only-binary=:all:",
                                 "--disable-pip-version-check",
                                 "--target",
                                 staging + "/tree",
                                 "--"};
  words.insert(words.end(), packages.begin(), packages.end());
  std::vector<std::string> variables = environment(index_url, staging);
  std::string said = staging + "/said";
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, said.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  int failed = ::posix_spawn(&pid, kPython, &actions, &attributes, pointers(words).data(),
                             pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return fail_errno("starting pip", failed);
  return Child::own(pid);
}

// The end of what it said, which is where the reason stands.
std::string last_words(const std::string& staging) {
  std::stringstream text;
  text << std::ifstream(staging + "/said").rdbuf();
  std::string said = text.str();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said.size() > kShown ? "…" + said.substr(said.size() - kShown) : said;
}

// Whoever is inside is nobody's owner: what all may read is what he reads.
Result<void> put_in_place(const std::string& staging, const std::string& folder) {
  constexpr fs::perms kRead =
      fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  constexpr fs::perms kEnter =
      fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  std::error_code error;
  fs::permissions(staging + "/tree", kRead | kEnter, fs::perm_options::add, error);
  for (const auto& entry : fs::recursive_directory_iterator(staging + "/tree", error)) {
    if (entry.is_symlink()) continue;
    fs::perms wanted = entry.is_directory() ? kRead | kEnter : kRead;
    fs::permissions(entry.path(), wanted, fs::perm_options::add, error);
    if (error) break;
  }
  if (!error) fs::rename(staging + "/tree", folder, error);
  if (error) return fail_errno("putting packages in place", error.value());
  return {};
}

}  // namespace

bool is_package(std::string_view text) {
  constexpr std::string_view kMarks = "._-[],=<>!~+*";
  auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= 200 && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || kMarks.contains(c); });
}

Packages::Packages(std::string folder, std::string index_url)
    : folder_(std::move(folder)), index_url_(std::move(index_url)) {}

Task<Result<std::string>> Packages::folder_of(std::vector<std::string> packages) {
  std::ranges::sort(packages);
  std::string list;
  for (const std::string& one : packages) list += one + "\n";
  std::string name = sha256_hex(list).substr(0, 32);
  std::string path = folder_ + "/" + name;
  if (::access(path.c_str(), F_OK) == 0) co_return path;
  if (index_url_.empty()) {
    co_return fail(Code::kNoPackageIndex,
                   "there is no index of packages: set packages.index_url in the configuration");
  }
  std::shared_ptr<Attempt> attempt = attempts_[name];
  if (attempt) {
    while (!attempt->done) co_await attempt->changed.wait();
  } else {
    attempt = attempts_[name] = std::make_shared<Attempt>();
    attempt->outcome = co_await install(name, std::move(packages));
    attempt->done = true;
    attempts_.erase(name);
    attempt->changed.notify_all();
  }
  if (!attempt->outcome) co_return fail(attempt->outcome.error());
  co_return path;
}

Task<Result<void>> Packages::install(std::string name, std::vector<std::string> packages) {
  std::string staging = folder_ + "/" + name + ".part";
  ATOLL_CO_TRY(Child pip, co_await async::on_pool(
                              pool_, [&] { return start_pip(staging, index_url_, packages); }));
  Result<ChildExit> ended = co_await async::with_deadline(
      async::wait_child(pip), async::deadline_in(kInstallTime), Code::kCreateTimeout,
      "installing the packages of the template took too long");
  pip = Child();  // killed where it still runs
  Result<void> outcome;
  if (!ended) {
    outcome = fail(ended.error());
  } else if (ended->code != 0) {
    std::string said = co_await async::on_pool(pool_, [&] { return last_words(staging); });
    outcome =
        fail(Code::kInvalidValue, "the packages of the template cannot be installed: " + said);
  } else {
    outcome =
        co_await async::on_pool(pool_, [&] { return put_in_place(staging, folder_ + "/" + name); });
  }
  co_await async::on_pool(pool_, [&] {
    std::error_code ignored;
    fs::remove_all(staging, ignored);
  });
  log::info(outcome ? "packages_installed" : "packages_failed", log::kv("folder", name));
  co_return outcome;
}

}  // namespace atl::control
