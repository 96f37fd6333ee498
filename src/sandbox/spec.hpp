// What a sandbox is asked to be and what it says of itself: plain data shared by every backend.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/unique_fd.hpp"

namespace atl::sandbox {

struct Limits {
  std::uint64_t memory_bytes = 512ull << 20;
  double cpus = 0.5;
  std::uint32_t pids = 100;
  std::uint64_t disk_bytes = 256ull << 20;
  std::uint64_t inodes = 0;  // 0: one per 4 KiB of disk
  std::uint32_t open_files = 1024;
};

// Which limits the user named himself: one that the host cannot enforce is an error then, and a
// warning when it is only a default.
struct AskedLimits {
  bool memory = false;
  bool cpus = false;
  bool pids = false;
  bool disk = false;
};

// The source is opened by whoever asks, with his own rights: nobody follows a path for him.
struct Mount {
  UniqueFd source;
  std::string target;
  bool read_only = true;
};

// As people write them: ["~/.ssh", "**/*.key"].
struct FilesystemPatterns {
  std::vector<std::string> deny_read;
  std::vector<std::string> allow_write;
  std::vector<std::string> deny_write;

  bool empty() const { return deny_read.empty() && allow_write.empty() && deny_write.empty(); }
};

// Paths inside the sandbox, absolute, globs already expanded (fs_policy.hpp).
struct FilesystemPolicy {
  std::vector<std::string> deny_read;
  std::vector<std::string> allow_write;
  std::vector<std::string> deny_write;
};

// Names like example.org and *.example.org, some backends' with a port (example.org:443); a denied
// one wins. Empty lists: no network.
struct NetworkPolicy {
  std::vector<std::string> allowed_domains;
  std::vector<std::string> denied_domains;
  // What holds for all other names. Set: the lists are all there is, and nobody adds to what is
  // allowed.
  std::optional<bool> allow_others;
  bool allow_local_binding = false;  // where the host's network is shared
};

// Modules that a Python interpreter has loaded before a sandbox asks for it: a zygote.
struct Preload {
  std::vector<std::string> modules;  // none: the bare interpreter with its driver
  bool for_contexts = true;  // with IPython, where there is one; programs start faster without
  std::chrono::seconds idle{600};  // how long it waits for somebody who needs it
  bool leave_one = false;          // start it for later sandboxes when this one finds none
};

struct SandboxSpec {
  SandboxId id;
  std::string image = "host";
  std::string language;  // of the code that will run, where known: for the choice of a default
                         // image
  std::string hostname = "atoll";
  Limits limits;
  AskedLimits asked;
  bool writable_root = false;  // of backends that declare kWritableRoot
  FilesystemPolicy filesystem;
  FilesystemPatterns patterns;  // instead, for backends with images of their own, which expand them
  bool allow_network = false;   // of backends that declare kNetwork
  NetworkPolicy network;        // of backends that declare kDomainLists
  std::vector<Mount> mounts;
  // Of an image: folders of the store, the lowest first. They hold its layers in place while the
  // sandbox lives.
  std::vector<UniqueFd> layers;
  std::optional<Preload> preload;
};

struct Isolation {
  std::vector<std::string> layers;
  std::vector<std::string> missing;
};

enum class State { kCreated, kRunning, kPaused, kStopped };

struct Status {
  State state = State::kCreated;
  Isolation isolation;
  bool has_zygote = false;  // it was open to one when it was made
};

struct Usage {
  double cpu_seconds = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_peak_bytes = 0;
  std::uint64_t memory_limit_bytes = 0;
  std::uint64_t pids = 0;
  std::uint64_t oom_kills = 0;
  std::uint64_t disk_bytes = 0;
};

struct TerminalSize {
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;
};

struct ExecRequest {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // added to the sandbox's own
  std::string cwd;                         // empty: the workspace
  std::optional<std::string> stdin_data;   // whole input; nullopt with stdin_open=false: /dev/null
  bool stdin_open = false;                 // the caller writes through Process::write_stdin
  bool background = false;
  bool control = false;  // descriptor 3 is a socket to the caller: write_stdin goes there
  bool zygote = false;   // forked from the sandbox's zygote where it has one
  std::optional<TerminalSize> terminal;
  std::chrono::milliseconds timeout{0};          // 0: none
  std::uint64_t max_output_bytes = 10ull << 20;  // per stream, kept by exec(); a live stream has no
                                                 // cap

  // `sh -c` around one string.
  static ExecRequest shell(std::string command) {
    return ExecRequest{.argv = {"/bin/sh", "-c", std::move(command)}};
  }
};

struct ExitStatus {
  int exit_code = 0;  // 128 + signal when a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool oom = false;
  bool truncated = false;
  std::chrono::microseconds cpu_user{0};
  std::chrono::microseconds cpu_system{0};
  std::chrono::microseconds wall{0};
  std::uint64_t max_rss_bytes = 0;
};

struct ExecResult {
  ExitStatus status;
  std::string stdout_bytes;
  std::string stderr_bytes;
  std::string output;  // both, in order of arrival
};

}  // namespace atl::sandbox
