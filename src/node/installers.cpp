#include "node/installers.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace atl::node {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// The host of a URL, without user and port.
std::string host_of(const std::string& url) {
  std::size_t begin = url.find("://");
  if (begin == std::string::npos) return {};
  std::string host = url.substr(begin + 3, url.find('/', begin + 3) - begin - 3);
  host.erase(0, host.find('@') + 1);
  bool is_v6 = host.starts_with('[');
  return is_v6 ? host.substr(1, host.find(']') - 1) : host.substr(0, host.find(':'));
}

// A package may name others by URL. All that is not the index's goes to a proxy that is not there.
Words only_the_index(const std::string& staging, const std::string& index_url) {
  constexpr const char* kNowhere = "http://127.0.0.1:1";
  Words all{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + staging,
            "TMPDIR=" + staging + "/tmp"};
  for (const char* name : {"http_proxy=", "https_proxy=", "all_proxy="}) {
    all.push_back(std::string(name) + kNowhere);
  }
  all.push_back("no_proxy=" + host_of(index_url));
  return all;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool consists_of(std::string_view text, std::string_view marks) {
  return std::ranges::all_of(text, [&](char c) { return is_letter(c) || marks.contains(c); });
}

// "numpy", "requests[socks]>=2,<3"
bool is_python_package(std::string_view text) {
  return !text.empty() && text.size() <= 200 && is_letter(text[0]) &&
         consists_of(text, "._-[],=<>!~+*");
}

// "left-pad", "@types/node@^20.1"
bool is_node_package(std::string_view text) {
  if (text.empty() || text.size() > 200) return false;
  if (text[0] == '@') {
    std::size_t slash = text.find('/');
    if (slash == text.npos || slash < 2 || !consists_of(text.substr(1, slash - 1), "._-")) {
      return false;
    }
    text.remove_prefix(slash + 1);
  }
  std::string_view name = text.substr(0, text.find('@'));
  std::string_view version = text.substr(name.size());
  if (name.empty() || !is_letter(name[0]) || !consists_of(name, "._-")) return false;
  return version.empty() || (version.size() > 1 && consists_of(version.substr(1), "._-^~<>=*+"));
}

Words pip_words(const std::string& staging) {
  return {"/usr/bin/python3",  // the one that sandboxes have
          "-m",
          "pip",
          "install",
          "--quiet",
          "--no-cache-dir",
          "--retries=2",
          "--no-compile",
          "--only-binary=:all:",
          "--disable-pip-version-check",
          "--target",
          staging + "/tree",
          "--"};
}

// The index may hold a password, so it goes by the environment, which only the own user can read.
Words pip_environment(const std::string& staging, const std::string& index_url) {
  Words all = only_the_index(staging, index_url);
  all.insert(all.end(),
             {"PIP_CONFIG_FILE=/dev/null", "PIP_NO_INPUT=1", "PIP_INDEX_URL=" + index_url});
  // Plain HTTP is refused unless the host is named: who configured it knows.
  if (index_url.starts_with("http://")) all.push_back("PIP_TRUSTED_HOST=" + host_of(index_url));
  return all;
}

Words npm_words(const std::string& staging) {
  constexpr const char* kLocal = "/usr/local/bin/npm";
  return {::access(kLocal, X_OK) == 0 ? kLocal : "/usr/bin/npm",
          "install",
          "--silent",
          "--ignore-scripts",
          "--no-audit",
          "--no-fund",
          "--no-save",
          "--no-package-lock",
          "--no-update-notifier",
          "--fetch-retries=1",
          "--fetch-retry-mintimeout=1000",
          "--fetch-timeout=30000",
          "--logs-max=0",
          "--loglevel=error",
          "--cache=" + staging + "/cache",
          "--prefix=" + staging + "/tree",
          "--"};
}

Words npm_environment(const std::string& staging, const std::string& index_url) {
  Words all = only_the_index(staging, index_url);
  for (const char* config : {"userconfig", "globalconfig"}) {  // two that are not there
    all.push_back("npm_config_" + std::string(config) + "=" + staging + "/" + config);
  }
  all.insert(all.end(), {"npm_config_registry=" + index_url, "npm_config_git=/bin/false"});
  return all;
}

constexpr Installer kPip{"pip",     "/opt/packages", "tree", is_python_package,
                         pip_words, pip_environment};
// Node looks there from every folder, for require and import alike.
constexpr Installer kNpm{"npm",           "/node_modules", "tree/node_modules",
                         is_node_package, npm_words,       npm_environment};

std::vector<char*> pointers(Words& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

const Installer* installer_of(std::string_view language) {
  if (language == "python") return &kPip;
  return language == "javascript" ? &kNpm : nullptr;
}

Result<Child> start(const Installer& installer, const std::string& staging,
                    const std::string& index_url, const Words& packages) {
  std::error_code error;
  fs::remove_all(staging, error);
  fs::create_directories(staging + "/" + installer.result, error);
  if (!error) fs::create_directories(staging + "/tmp", error);
  if (error) return fail_errno("making a folder for packages", error.value());
  Words words = installer.words(staging);
  if (::access(words[0].c_str(), X_OK) != 0) {
    return fail(Code::kUnsupported, std::string(installer.name) + " is not on this host");
  }
  words.insert(words.begin(), {"/usr/bin/setpriv", "--pdeathsig", "KILL", "--"});  // with us
  words.insert(words.end(), packages.begin(), packages.end());
  Words variables = installer.environment(staging, index_url);
  std::string said = staging + "/said";
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, said.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  // A package called "a.whl" or "a.tgz" is a file of the folder that the program was started in.
  ::posix_spawn_file_actions_addchdir_np(&actions, (staging + "/" + installer.result).c_str());
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  int failed = ::posix_spawn(&pid, words[0].c_str(), &actions, &attributes, pointers(words).data(),
                             pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    return fail(code_from_errno(failed), std::string(installer.name) + " cannot be started");
  }
  return Child::own(pid);
}

}  // namespace atl::node
