// The arguments and results of guest operations, and how they are laid out. encode() and decode()
// are each other's inverse (messages_test.cpp, fuzz_guest_protocol.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "guest/protocol.hpp"
#include "guest/wire.hpp"

namespace atl::guest {

struct ExecArgs {
  enum Flags : std::uint32_t {
    kTty = 1,            // a terminal of its own; stdout and stderr are one stream
    kStdinOpen = 2,      // stream 0 is read; otherwise stdin is /dev/null
    kBackground = 4,     // outlives its channel's reader without blocking: unread output is dropped
    kControlSocket = 8,  // descriptor 3 is a socket: stream 0 goes there, not to stdin; out on
                         // stream 3
    kZygote = 16,        // started by the sandbox's zygote where it has one, else as any program
  };
  std::uint32_t flags = 0;
  std::uint32_t timeout_ms = 0;  // 0: none. At the end the whole process group is killed.
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;
  std::string cwd;                // empty: /workspace
  std::vector<std::string> argv;  // argv[0] is looked up in PATH of env
  std::vector<std::string> env;   // "K=V", complete: nothing is inherited
  auto fields() { return std::tie(flags, timeout_ms, rows, cols, cwd, argv, env); }
};

struct ExecStarted {
  std::uint64_t exec_id = 0;
  std::int32_t pid = 0;
  auto fields() { return std::tie(exec_id, pid); }
};

struct ExitInfo {
  enum Flags : std::uint8_t { kTimedOut = 1, kStdoutTruncated = 2, kStderrTruncated = 4 };
  std::uint64_t exec_id = 0;
  std::int32_t exit_code = 0;  // 128 + signal when a signal ended it
  std::int32_t signal = 0;
  std::uint8_t flags = 0;
  std::uint64_t user_us = 0;
  std::uint64_t system_us = 0;
  std::uint64_t max_rss_bytes = 0;
  std::uint64_t wall_us = 0;
  auto fields() {
    return std::tie(exec_id, exit_code, signal, flags, user_us, system_us, max_rss_bytes, wall_us);
  }
};

struct ExecutionInfo {
  std::uint64_t exec_id = 0;
  std::int32_t pid = 0;
  std::uint8_t running = 0;
  std::string command;  // argv joined by spaces, at most 256 bytes
  auto fields() { return std::tie(exec_id, pid, running, command); }
};

struct ProcessInfo {
  std::int32_t pid = 0;
  std::int32_t parent = 0;
  char state = '?';
  std::uint64_t rss_bytes = 0;
  std::uint64_t cpu_ms = 0;
  std::string command;
  auto fields() { return std::tie(pid, parent, state, rss_bytes, cpu_ms, command); }
};

struct FileInfo {
  enum Kind : std::uint8_t { kFile = 1, kDirectory = 2, kSymlink = 3, kOther = 4 };
  std::uint8_t kind = kFile;
  std::uint32_t mode = 0;  // permission bits
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::string path;
  std::string target;  // of a symlink
  auto fields() { return std::tie(kind, mode, uid, gid, size, mtime_ns, path, target); }
};

struct PutArgs {
  std::string path;
  std::uint32_t mode = 0644;
  std::uint8_t make_parents = 0;
  auto fields() { return std::tie(path, mode, make_parents); }
};

struct GetArgs {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;
  auto fields() { return std::tie(path, offset, length); }
};

struct SearchArgs {
  std::string root;
  std::string name_glob;  // empty: any name
  std::string contains;   // empty: content is not looked at
  std::uint32_t max_results = 1000;
  auto fields() { return std::tie(root, name_glob, contains, max_results); }
};

struct WatchEvent {
  enum Kind : std::uint8_t { kCreated = 1, kModified = 2, kRemoved = 3, kMoved = 4, kOverflow = 5 };
  std::uint8_t kind = kCreated;
  std::string path;
  auto fields() { return std::tie(kind, path); }
};

// Every message is its fields() in order: numbers little-endian, strings and lists with a length.
template <typename T>
void encode(Writer& out, const T& value) {
  auto put = [&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_integral_v<Field>) {
      out.number(field);
    } else if constexpr (std::is_same_v<Field, std::string>) {
      out.string(field);
    } else {
      out.strings(field);
    }
  };
  // fields() only hands out references; nothing is written through them here.
  std::apply([&](const auto&... field) { (put(field), ...); }, const_cast<T&>(value).fields());
}

template <typename T>
void decode(Reader& in, T& value) {
  auto take = [&](auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_integral_v<Field>) {
      field = in.number<Field>();
    } else if constexpr (std::is_same_v<Field, std::string>) {
      field = in.string();
    } else {
      field = in.strings();
    }
  };
  std::apply([&](auto&... field) { (take(field), ...); }, value.fields());
}

template <typename T>
std::string encoded(const T& value) {
  Writer out;
  encode(out, value);
  return std::move(out).bytes();
}

// nullopt when the bytes are not exactly one T.
template <typename T>
std::optional<T> decoded(std::string_view bytes) {
  Reader in(bytes);
  T value;
  decode(in, value);
  if (!in.done()) return std::nullopt;
  return value;
}

}  // namespace atl::guest
