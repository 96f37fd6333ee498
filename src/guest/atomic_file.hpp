// A file that appears under its name only when it is whole: written as `.atoll-put-<n>` beside it
// and renamed. Dropped without commit(), nothing is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "guest/paths.hpp"
#include "guest/protocol.hpp"

namespace atl::guest {

class AtomicFile {
 public:
  // With the user's rights in force; `config` brings them back when a half-written one is dropped.
  static Result<AtomicFile> create(const GuestConfig& config, Place place);
  AtomicFile(AtomicFile&&) = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Result<void> write(std::string_view bytes);
  // `mtime_ns` empty: now. Replaces a file or a symlink of that name, nothing else.
  Result<void> commit(std::uint32_t mode, std::optional<std::int64_t> mtime_ns);

 private:
  AtomicFile(const GuestConfig& config, Place place, std::string temporary, UniqueFd fd)
      : config_(&config),
        place_(std::move(place)),
        temporary_(std::move(temporary)),
        fd_(std::move(fd)) {}

  const GuestConfig* config_;
  Place place_;
  std::string temporary_;
  UniqueFd fd_;  // empty after commit or move
};

}  // namespace atl::guest
