// The guest protocol: what `atoll` and the guest inside a sandbox say to each other over one byte
// stream. docs/guest-protocol.md tells the story; this header is the letter of it.
//
// A frame is a 12-byte header and up to kMaxPayload bytes. Numbers are little-endian. A channel is
// opened by the host with kOpen and a number of its choice, unused on this connection; everything
// of one operation travels on its channel. Bytes flow in streams of a channel (0 towards the guest,
// 1 to 3 towards the host); each stream starts with kWindow bytes of credit, and a sender without
// credit waits. kCredit gives back what the reader has consumed, which is also the acknowledgement:
// the guest keeps output bytes until they are credited, so that a host that re-attaches after a
// crash continues at the first byte nobody acknowledged.
#pragma once

#include <cstddef>
#include <cstdint>

#include "guest/start.hpp"

namespace atl::guest {

inline constexpr std::size_t kHeaderSize = 12;
inline constexpr std::size_t kMaxPayload = 128 * 1024;
inline constexpr std::size_t kWindow = 512 * 1024;
inline constexpr std::size_t kMaxChannels = 1024;

enum class FrameType : std::uint8_t {
  kHello = 1,    // host: u32 magic, u16 version, token. First frame of a connection.
  kHelloOk = 2,  // guest: u32 magic, u16 version, u64 boot id (changes with the guest process)
  kOpen = 3,     // host: u16 Op, then the arguments of that Op (messages.hpp)
  kReply = 4,    // guest: u16 Code, then the Op's result; on failure i32 errno, string message
  kData = 5,     // both: bytes of `stream`
  kEof = 6,      // both: no more bytes on `stream`
  kCredit = 7,   // both: u32 bytes of `stream` consumed
  kExit = 8,     // guest: ExitInfo of an execution; its output streams ended before
  kClose = 9,    // host: forget the channel (an execution goes on, anything else is dropped)
                 // guest: the channel is finished, its number is free again
  kPing = 10,    // host: any payload up to 64 bytes
  kPong = 11,    // guest: the same payload
};

// Streams of a channel.
inline constexpr std::uint8_t kStdin = 0;    // towards the guest: stdin, file content, tcp bytes
inline constexpr std::uint8_t kStdout = 1;   // towards the host: stdout, file content, tcp bytes
inline constexpr std::uint8_t kStderr = 2;   // towards the host: stderr
inline constexpr std::uint8_t kControl = 3;  // towards the host: what a program says on its control
                                             // socket (ExecArgs::kControlSocket); stream 0 answers
                                             // it

// "Records" are length-prefixed (u32) encodings on stream 1, ended by kEof: a listing of any length
// is flow-controlled like every other stream. After the reply and the last byte the guest sends
// kClose.
enum class Op : std::uint16_t {
  kExec = 1,    // ExecArgs -> ExecStarted; streams 0,1,2,3 (tty: 0,1); kExit, kClose
  kAttach = 2,  // u64 exec id -> ExecStarted; goes on like kExec from the first unacknowledged byte
  kSignal = 3,  // u64 exec id, i32 signal, u8 whole_group -> nothing
  kResize = 4,  // u64 exec id, u16 rows, u16 cols -> nothing
  kExecutions = 5,  // -> nothing, then ExecutionInfo records (running, or ended and not collected)
  kProcesses = 6,   // -> nothing, then ProcessInfo records
  kFilePut = 7,     // PutArgs; content on stream 0 until kEof, then the reply. Replaces atomically.
  kFileGet = 8,     // GetArgs -> FileInfo, then content on stream 1, kEof
  kStat = 9,        // string path, u8 follow -> FileInfo
  kList = 10,     // string path, u32 depth -> nothing, then FileInfo records, paths relative to it
  kMkdir = 11,    // string path, u32 mode, u8 parents -> nothing
  kMove = 12,     // string from, string to, u8 overwrite -> nothing
  kRemove = 13,   // string path, u8 recursive -> nothing
  kChmod = 14,    // string path, u32 mode -> nothing
  kSearch = 15,   // SearchArgs -> nothing, then FileInfo records
  kWatch = 16,    // string path, u8 recursive -> nothing, then WatchEvent records until the host
                  // closes
  kTreePut = 17,  // string path; a pack (pack.hpp) on stream 0 until kEof, then the reply
  kTreeGet = 18,  // string path -> nothing, then a pack on stream 1, kEof
  kConnect = 19,  // u16 port on the sandbox's loopback -> nothing, then bytes both ways
};

struct FrameHeader {
  std::uint32_t length = 0;
  std::uint32_t channel = 0;  // 0 for connection-wide frames
  FrameType type = FrameType::kPing;
  std::uint8_t stream = 0;  // two zero bytes follow on the wire
};

}  // namespace atl::guest
