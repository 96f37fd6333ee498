// Files of a session. Paths are relative to its workspace, or absolute below /workspace and /tmp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bodies/files.hpp"
#include "client/api.hpp"
#include "client/upload_body.hpp"

namespace atl::client {

enum class FileKind { kMissing, kFile, kFolder };

Task<Result<FileKind>> kind_of(Api* api, SessionId session, std::string path);

// Visible only when all of it is there. `length` unknown: until the source ends.
Task<Result<void>> put_file(Api* api, SessionId session, std::string path, std::uint32_t mode,
                            http::BodySource source, std::optional<std::uint64_t> length);

// Several files below `folder` in one request; each is visible when all of it is there.
Task<Result<void>> put_files(Api* api, SessionId session, std::string folder, std::uint32_t mode,
                             std::vector<SentFile> files);

// Symbolic links below a folder, at most kMaxLinks. The server refuses those that lead out of it.
inline constexpr std::size_t kMaxLinks = 1000;
Task<Result<void>> put_links(Api* api, SessionId session, bodies::MakeLinksBody body);

struct Download {
  http::ClientResponse response;        // read_some() gives its bytes
  bool is_folder = false;               // a tar archive of it
  std::optional<std::uint64_t> length;  // of a file
  std::uint32_t mode = 0666;            // of a file
};
Task<Result<Download>> get_file(Api* api, SessionId session, std::string path);

}  // namespace atl::client
