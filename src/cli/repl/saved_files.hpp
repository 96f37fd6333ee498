// Writes what cells show into a folder of the caller. atoll gives up its privileges before it reads
// anything that a sandbox made, and with them the right to write there; so a small process of its
// own keeps it, and does nothing but make files with names of its own choice.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "async/stream.hpp"
#include "async/task.hpp"
#include "base/child.hpp"
#include "base/result.hpp"

namespace atl::cli {

// A kind of content that is worth a file.
struct FileKind {
  std::string_view mime;
  std::string_view suffix;
  bool base64 = false;  // in a bundle
};

std::span<const FileKind> file_kinds();

class SavedFiles {
 public:
  // Opens the folder, making it where it is missing, and starts the process. Before privileges are
  // dropped and before the first thread.
  static Result<SavedFiles> open(const std::string& folder);

  // Before the first save().
  void attach(async::Executor executor);
  // Writes cell-CELL-NUMBER with the suffix of file_kinds()[kind]; its name.
  async::Task<Result<std::string>> save(std::uint32_t cell, std::uint32_t number,
                                        std::uint32_t kind, std::string bytes);

 private:
  SavedFiles(UniqueFd socket, Child writer)
      : socket_(std::move(socket)), writer_(std::move(writer)) {}

  UniqueFd socket_;  // until attach()
  std::unique_ptr<async::Stream> stream_;
  Child writer_;
};

}  // namespace atl::cli
