// Files of the caller, read with his rights before privileges are dropped, and never more of them
// than allowed.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::cli {

inline constexpr std::uint64_t kMaxCode = 64ull << 20;

// All bytes up to `most`; more is kTooLarge. `what` names it in errors: "the script a.py".
Result<std::string> read_all(const UniqueFd& fd, std::uint64_t most, const std::string& what);
// A regular file or a pipe; not a folder.
Result<std::string> read_file(const std::string& path, std::uint64_t most, const std::string& what);
Result<std::string> read_stdin(std::uint64_t most, const std::string& what);

bool is_regular_file(const std::string& path);

}  // namespace atl::cli
