// The arguments and results of guest operations, and how they are laid out. encode() and decode()
// are each other's inverse (messages_test.cpp, fuzz_guest_protocol.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guest/protocol.hpp"
#include "guest/wire.hpp"

namespace atl::guest {

struct ExecArgs {
  enum Flags : std::uint32_t {
    kTty = 1,           // a terminal of its own; stdout and stderr are one stream
    kStdinOpen = 2,     // stream 0 is read; otherwise stdin is /dev/null
    kBackground = 4,    // outlives its channel's reader without blocking: unread output is dropped
  };
  std::uint32_t flags = 0;
  std::uint32_t timeout_ms = 0;  // 0: none. At the end the whole process group is killed.
  std::uint16_t rows = 24;
  std::uint16_t cols = 80;
  std::string cwd;                 // empty: /workspace
  std::vector<std::string> argv;   // argv[0] is looked up in PATH of env
  std::vector<std::string> env;    // "K=V", complete: nothing is inherited
};

struct ExecStarted {
  std::uint64_t exec_id = 0;
  std::int32_t pid = 0;
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
};

struct ExecutionInfo {
  std::uint64_t exec_id = 0;
  std::int32_t pid = 0;
  std::uint8_t running = 0;
  std::string command;  // argv joined by spaces, at most 256 bytes
};

struct ProcessInfo {
  std::int32_t pid = 0;
  std::int32_t parent = 0;
  char state = '?';
  std::uint64_t rss_bytes = 0;
  std::uint64_t cpu_ms = 0;
  std::string command;
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
};

struct PutArgs {
  std::string path;
  std::uint32_t mode = 0644;
  std::uint8_t make_parents = 0;
};

struct GetArgs {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;
};

struct SearchArgs {
  std::string root;
  std::string name_glob;      // empty: any name
  std::string contains;       // empty: content is not looked at
  std::uint32_t max_results = 1000;
};

struct WatchEvent {
  enum Kind : std::uint8_t { kCreated = 1, kModified = 2, kRemoved = 3, kMoved = 4, kOverflow = 5 };
  std::uint8_t kind = kCreated;
  std::string path;
};

void encode(Writer& out, const ExecArgs& value);
void encode(Writer& out, const ExecStarted& value);
void encode(Writer& out, const ExitInfo& value);
void encode(Writer& out, const ExecutionInfo& value);
void encode(Writer& out, const ProcessInfo& value);
void encode(Writer& out, const FileInfo& value);
void encode(Writer& out, const PutArgs& value);
void encode(Writer& out, const GetArgs& value);
void encode(Writer& out, const SearchArgs& value);
void encode(Writer& out, const WatchEvent& value);

void decode(Reader& in, ExecArgs& value);
void decode(Reader& in, ExecStarted& value);
void decode(Reader& in, ExitInfo& value);
void decode(Reader& in, ExecutionInfo& value);
void decode(Reader& in, ProcessInfo& value);
void decode(Reader& in, FileInfo& value);
void decode(Reader& in, PutArgs& value);
void decode(Reader& in, GetArgs& value);
void decode(Reader& in, SearchArgs& value);
void decode(Reader& in, WatchEvent& value);

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
