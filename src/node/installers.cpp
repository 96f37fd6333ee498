#include "node/installers.hpp"

#include <algorithm>

namespace atl::node {
namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

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

Words pip_words(const IndexAddress& /*index*/) {
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
          "--target=/workspace/tree",
          "--"};
}

// The index may hold a password, so it goes by the environment: other words are in error messages.
Variables pip_environment(const IndexAddress& index) {
  Variables all{
      {"PIP_CONFIG_FILE", "/dev/null"}, {"PIP_NO_INPUT", "1"}, {"PIP_INDEX_URL", index.url}};
  // Plain HTTP is refused unless the host is named: who configured it knows.
  if (index.url.starts_with("http://")) all["PIP_TRUSTED_HOST"] = index.inside;
  return all;
}

Words npm_words(const IndexAddress& index) {
  Words words{"/usr/bin/env",  // /usr/bin or /usr/local/bin
              "npm",
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
              "--cache=/tmp/cache",
              "--prefix=/workspace/tree"};
  // Its listings name archives by the host that it has outside.
  if (index.on_loopback) words.emplace_back("--replace-registry-host=always");
  words.emplace_back("--");
  return words;
}

Variables npm_environment(const IndexAddress& index) {
  return {{"npm_config_userconfig", "/tmp/userconfig"},  // two that are not there
          {"npm_config_globalconfig", "/tmp/globalconfig"},
          {"npm_config_registry", index.url},
          {"npm_config_git", "/bin/false"}};
}

constexpr Installer kPip{"pip",     "/opt/packages", "/workspace/tree", is_python_package,
                         pip_words, pip_environment};
// Node looks there from every folder, for require and import alike.
constexpr Installer kNpm{"npm",           "/node_modules", "/workspace/tree/node_modules",
                         is_node_package, npm_words,       npm_environment};

}  // namespace

const Installer* installer_of(std::string_view language) {
  if (language == "python") return &kPip;
  return language == "javascript" ? &kNpm : nullptr;
}

}  // namespace atl::node
