// How much of anything a request may bring. A request beyond one of these is refused with the
// field's name, before anything happens.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace atl::api {

inline constexpr std::size_t kMaxSmallBody = 1u << 20;  // what holds neither code nor stdin
inline constexpr std::size_t kMaxCode = 8u << 20;
inline constexpr std::size_t kMaxCommand = 128u << 10;  // one argument of execve, as Linux has it
inline constexpr std::size_t kMaxArguments = 4096;
inline constexpr std::size_t kMaxArgumentBytes = 1u << 20;
inline constexpr std::size_t kMaxStdin = 8u << 20;
inline constexpr std::size_t kMaxName = 256;                       // ids, keys, languages, contexts
inline constexpr std::size_t kMaxLinks = 1000;                     // in one request
inline constexpr std::size_t kMaxPath = 4096;                      // a path in a sandbox
inline constexpr std::size_t kMaxEntries = 256;                    // of env; of labels, as control
inline constexpr std::size_t kMaxValue = 32768;                    // of one of env
inline constexpr std::size_t kMaxLabel = 1024;                     // value of one label
inline constexpr std::size_t kMaxMetadata = 16u << 10;             // metadata, as JSON text
inline constexpr std::uint64_t kMaxSeconds = 3650ull * 24 * 3600;  // control says less
inline constexpr std::uint64_t kMaxOutput = 256ull << 20;          // max_output_bytes
inline constexpr std::size_t kMaxIdempotencyKey = 255;

inline constexpr std::chrono::seconds kMaxWait{3600};  // Prefer: wait
inline constexpr std::chrono::seconds kKeepAlive{15};  // a silent stream says something

inline constexpr std::size_t kPage = 50;
inline constexpr std::size_t kMaxPage = 200;
inline constexpr std::size_t kPageOutput = 16u << 20;  // outputs in one page of results
inline constexpr std::size_t kMaxListing = 10'000;     // files in one answer
inline constexpr std::size_t kMaxLooked = 100'000;     // files that pages are cut from
inline constexpr std::uint32_t kMaxDepth = 32;
inline constexpr std::size_t kMaxTerminalMessage = 1u << 20;
inline constexpr std::size_t kChunk = 64u << 10;  // bytes moved at a time

}  // namespace atl::api
