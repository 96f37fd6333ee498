#include "control/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace atl::control {
namespace {

struct Piece {
  std::uint32_t is_stderr = 0;
  std::uint32_t size = 0;
};

}  // namespace

UniqueFd Journals::begin(const ExecutionId& id) const {
  if (folder_.empty()) return UniqueFd();
  int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  UniqueFd file(::open(path(id).c_str(), flags, 0600));
  if (!file && errno == ENOENT && ::mkdir(folder_.c_str(), 0700) == 0) {
    file.reset(::open(path(id).c_str(), flags, 0600));
  }
  return file;
}

// One write: a killed process leaves a piece whole or cut, never mixed with another.
void Journals::append(const UniqueFd& file, SpoolKind kind, std::string_view bytes) {
  Piece piece{kind == SpoolKind::kStderr ? 1u : 0u, static_cast<std::uint32_t>(bytes.size())};
  iovec parts[] = {{&piece, sizeof piece}, {const_cast<char*>(bytes.data()), bytes.size()}};
  [[maybe_unused]] ssize_t written = ::writev(file.get(), parts, 2);
}

void Journals::remove(const ExecutionId& id) const {
  if (!folder_.empty()) ::unlink(path(id).c_str());
}

void Journals::keep_only(const std::set<std::string>& ids) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (!ids.contains(entry.path().filename().string())) ::unlink(entry.path().c_str());
  }
}

model::Output Journals::read(const ExecutionId& id) const {
  model::Output output;
  std::ifstream file(path(id), std::ios::binary);
  std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (std::string_view left = all; left.size() >= sizeof(Piece);) {
    Piece piece;
    std::memcpy(&piece, left.data(), sizeof piece);
    left.remove_prefix(sizeof piece);
    if (left.size() < piece.size) break;
    std::string_view bytes = left.substr(0, piece.size);
    left.remove_prefix(piece.size);
    (piece.is_stderr != 0 ? output.stderr_bytes : output.stdout_bytes) += bytes;
    output.merged += bytes;
  }
  return output;
}

}  // namespace atl::control
