// A folder of the host that holds a copy of a sandbox's files. What lies in it was named by the
// sandbox, so no link in it is ever followed. Every call blocks: for a thread of a pool.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::node {

// What a copy keeps of a file, a folder or a link; of anything else it keeps nothing.
struct TreeEntry {
  std::uint8_t kind = sandbox::FileInfo::kFile;
  std::uint32_t mode = 0;     // of files and folders; the owner may always read and write
  std::uint64_t size = 0;     // of files
  std::int64_t mtime_ns = 0;  // of files
  std::string target;         // of links

  bool operator==(const TreeEntry&) const = default;
};
using TreeMap = std::map<std::string, TreeEntry>;  // by path; what holds others comes before them

inline constexpr std::size_t kMaxTreeEntries = 100'000;
inline constexpr std::uint32_t kMaxTreeDepth = 64;

class HostTree {
 public:
  // `beside` is a folder of the same file system, for what is not whole yet.
  static Result<HostTree> open(const std::string& path, const std::string& beside);

  HostTree(HostTree&&) noexcept = default;
  HostTree& operator=(HostTree&&) = delete;
  ~HostTree();  // what is not whole goes

  Result<TreeMap> look() const;
  Result<UniqueFd> read(const std::string& path) const;
  // A folder that is not empty stays.
  Result<void> remove(const std::string& path, const TreeEntry& entry) const;
  // A folder, whether it is there or not, or a link in place of what is there.
  Result<void> make(const std::string& path, const TreeEntry& entry) const;

  // A file: begin, write, and end, which puts it in place as a whole.
  Result<void> begin();
  Result<void> write(std::string_view bytes);
  Result<void> end(const std::string& path, const TreeEntry& entry);

  Result<void> sync() const;  // the whole file system: one call for many files

 private:
  HostTree(UniqueFd root, UniqueFd beside, std::string part)
      : root_(std::move(root)), beside_(std::move(beside)), part_(std::move(part)) {}

  Result<UniqueFd> open_below(const std::string& path, std::uint64_t flags) const;
  Result<UniqueFd> parent_of(const std::string& path) const;

  UniqueFd root_;
  UniqueFd beside_;
  std::string part_;  // the name of what is not whole yet
  UniqueFd file_;
};

}  // namespace atl::node
