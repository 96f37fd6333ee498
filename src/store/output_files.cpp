#include "store/output_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/write_all.hpp"

namespace atl::store {
namespace {

using model::LargeOutput;

constexpr std::size_t kPiece = 256u << 10;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint64_t stdout_size = 0;
  std::uint64_t stderr_size = 0;
  std::uint64_t merged_size = 0;

  static constexpr std::array<char, 8> kMagic = {'a', 't', 'o', 'l', 'l', 'o', 'u', '1'};
};

// Ids are 26 characters of [0-9a-z]; nothing else may become a path.
bool is_file_name(std::string_view id) {
  return id.size() >= 4 && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
         });
}

// The end of an id is random; its beginning is the time.
std::string shelf_of(std::string_view id) { return std::string(id.substr(id.size() - 2)); }

Result<UniqueFd> open_folder(const UniqueFd& parent, const std::string& name) {
  UniqueFd fd(
      ::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return fail_errno("open outputs");
  return fd;
}

// Makes it when it is missing; then its parent is synced, or a power cut could take it again.
Result<UniqueFd> make_folder(const UniqueFd& parent, const std::string& name) {
  if (::mkdirat(parent.get(), name.c_str(), 0700) == 0) {
    if (::fsync(parent.get()) != 0) return fail_errno("sync outputs");
  } else if (errno != EEXIST) {
    return fail_errno("make outputs");
  }
  return open_folder(parent, name);
}

Result<void> write_output(const UniqueFd& fd, std::string_view bytes) {
  if (!write_all(fd.get(), bytes)) return fail_errno("write output");
  return {};
}

Result<void> read_at(const UniqueFd& fd, std::uint64_t offset, char* into, std::uint64_t size) {
  while (size > 0) {
    ssize_t got = ::pread(fd.get(), into, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read output");
    if (got == 0) return fail(Code::kIo, "the stored output is shorter than it should be");
    into += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::uint64_t>(got);
  }
  return {};
}

Header header_of(const model::Output& output) {
  if (!output.large) {
    return {.stdout_size = output.stdout_bytes.size(),
            .stderr_size = output.stderr_bytes.size(),
            .merged_size = output.merged.size()};
  }
  return {.stdout_size = output.large->size(LargeOutput::Part::kStdout),
          .stderr_size = output.large->size(LargeOutput::Part::kStderr),
          .merged_size = output.large->size(LargeOutput::Part::kMerged)};
}

Result<void> copy_part(const UniqueFd& fd, const LargeOutput& from, LargeOutput::Part part) {
  for (std::uint64_t at = 0; at < from.size(part);) {
    ATOLL_TRY(std::string piece, from.read(part, at, kPiece));
    if (piece.empty()) return fail(Code::kIo, "an output is shorter than it was");
    ATOLL_CHECK(write_output(fd, piece));
    at += piece.size();
  }
  return {};
}

// A file that is open, so that it may be removed meanwhile.
class StoredOutput final : public LargeOutput {
 public:
  StoredOutput(UniqueFd fd, const Header& header) : fd_(std::move(fd)), header_(header) {}

  std::uint64_t size(Part part) const override {
    if (part == Part::kStdout) return header_.stdout_size;
    return part == Part::kStderr ? header_.stderr_size : header_.merged_size;
  }
  Result<std::string> read(Part part, std::uint64_t offset, std::size_t most) const override {
    std::uint64_t begin = sizeof header_;
    if (part != Part::kStdout) begin += header_.stdout_size;
    if (part == Part::kMerged) begin += header_.stderr_size;
    std::uint64_t left = size(part) - std::min(size(part), offset);
    std::string bytes(std::min<std::uint64_t>(left, most), '\0');
    ATOLL_CHECK(read_at(fd_, begin + offset, bytes.data(), bytes.size()));
    return bytes;
  }

 private:
  UniqueFd fd_;
  Header header_;
};

Result<void> write_file(const UniqueFd& shelf, const std::string& name,
                        const model::Output& output) {
  UniqueFd fd(::openat(shelf.get(), name.c_str(),
                       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail_errno("make output");
  Header header = header_of(output);
  ATOLL_CHECK(write_output(fd, {reinterpret_cast<const char*>(&header), sizeof header}));
  ATOLL_CHECK(write_output(fd, output.stdout_bytes));
  ATOLL_CHECK(write_output(fd, output.stderr_bytes));
  ATOLL_CHECK(write_output(fd, output.merged));
  if (output.large) {
    for (auto part :
         {LargeOutput::Part::kStdout, LargeOutput::Part::kStderr, LargeOutput::Part::kMerged}) {
      ATOLL_CHECK(copy_part(fd, *output.large, part));
    }
  }
  if (::fdatasync(fd.get()) != 0) return fail_errno("sync output");
  return {};
}

Result<std::vector<std::string>> names_in(const UniqueFd& folder) {
  UniqueFd again(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!again) return fail_errno("open outputs");
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(again.get()), &::closedir);
  if (!dir) return fail_errno("list outputs");
  (void)again.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(dir.get())) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return fail_errno("list outputs");
  return names;
}

}  // namespace

Result<OutputFiles> OutputFiles::open(const std::string& data_folder) {
  UniqueFd data(::open(data_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!data) return fail_errno("open the data folder");
  ATOLL_TRY(UniqueFd folder, make_folder(data, "outputs"));
  return OutputFiles(std::move(folder));
}

Result<void> OutputFiles::write(const ExecutionId& id, const model::Output& output) const {
  const std::string& name = id.str();
  if (!is_file_name(name))
    return fail(Code::kInvalidArgument, "the execution's id cannot be a file name");
  ATOLL_TRY(UniqueFd shelf, make_folder(folder_, shelf_of(name)));
  std::string unfinished = name + ".new";
  Result<void> written = write_file(shelf, unfinished, output);
  if (written && ::renameat(shelf.get(), unfinished.c_str(), shelf.get(), name.c_str()) != 0) {
    written = fail_errno("name output");
  }
  if (!written) {
    ::unlinkat(shelf.get(), unfinished.c_str(), 0);
    return written;
  }
  if (::fsync(shelf.get()) != 0) return fail_errno("sync outputs");
  return {};
}

Result<model::Output> OutputFiles::read(const ExecutionId& id) const {
  const std::string& name = id.str();
  if (!is_file_name(name)) return fail(Code::kNotFound, "there is no such output");
  ATOLL_TRY(UniqueFd shelf, open_folder(folder_, shelf_of(name)));
  UniqueFd fd(::openat(shelf.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return fail_errno("open output");
  Header header;
  ATOLL_CHECK(read_at(fd, 0, reinterpret_cast<char*>(&header), sizeof header));
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno("read output");
  auto size = static_cast<std::uint64_t>(status.st_size);
  // Each is checked before the sum, which could wrap.
  if (header.magic != Header::kMagic || header.stdout_size > size || header.stderr_size > size ||
      header.merged_size > size ||
      sizeof header + header.stdout_size + header.stderr_size + header.merged_size != size) {
    return fail(Code::kIo, "the stored output is damaged");
  }
  model::Output output;
  if (header.stdout_size + header.stderr_size > model::kMaxOutputInMemory) {
    output.large = std::make_shared<StoredOutput>(std::move(fd), header);
    return output;
  }
  output.stdout_bytes.resize(header.stdout_size);
  output.stderr_bytes.resize(header.stderr_size);
  output.merged.resize(header.merged_size);
  std::uint64_t at = sizeof header;
  for (std::string* part : {&output.stdout_bytes, &output.stderr_bytes, &output.merged}) {
    ATOLL_CHECK(read_at(fd, at, part->data(), part->size()));
    at += part->size();
  }
  return output;
}

void OutputFiles::remove(const std::string& id) const {
  if (!is_file_name(id)) return;
  ::unlinkat(folder_.get(), (shelf_of(id) + "/" + id).c_str(), 0);
}

Result<std::uint64_t> OutputFiles::remove_all_but(std::vector<std::string> known) const {
  std::ranges::sort(known);
  std::uint64_t removed = 0;
  ATOLL_TRY(std::vector<std::string> shelves, names_in(folder_));
  for (const std::string& shelf_name : shelves) {
    ATOLL_TRY(UniqueFd shelf, open_folder(folder_, shelf_name));
    ATOLL_TRY(std::vector<std::string> names, names_in(shelf));
    for (const std::string& name : names) {
      if (std::ranges::binary_search(known, name)) continue;
      if (::unlinkat(shelf.get(), name.c_str(), 0) == 0) ++removed;
    }
  }
  return removed;
}

}  // namespace atl::store
