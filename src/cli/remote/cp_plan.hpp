// What `atoll cp` was asked for: which side is in a session, and under which names things go. Pure
// but for looking at local files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace atl::cli {

struct CpPlace {
  std::string session;  // empty: here
  std::string path;     // "-" here is stdin or stdout
  bool is_here() const { return session.empty(); }
  bool is_stream() const { return is_here() && path == "-"; }
};

// SESSION:PATH, or a local path: without a colon, or with a slash or a dot in front of it.
CpPlace parse_place(std::string_view word);

// The last part of a path, "" when it has none: "a/b/" -> "b", "/" -> "".
std::string last_part(std::string_view path);
// "a" + "b" -> "a/b"; one of them may be empty.
std::string joined(const std::string& folder, const std::string& name);

struct LocalFile {
  std::string name;  // relative to the folder
  std::uint32_t mode = 0644;
  std::uint64_t size = 0;
};
struct LocalLink {
  std::string name, target;
};
struct LocalTree {
  std::vector<LocalFile> files;
  std::vector<LocalLink> links;  // those that stay inside of the folder
  std::uint64_t bytes = 0;
  std::size_t leaving_links = 0;  // left out
  std::size_t devices = 0;        // and sockets, pipes: left out
  std::size_t empty_folders = 0;  // left out
};
Result<LocalTree> list_tree(const std::string& folder);

// What goes in one request: files of the same mode, neither too many nor too much, because a server
// bounds an upload. A name that cannot be in the head of a part is alone.
std::vector<std::vector<LocalFile>> in_batches(std::vector<LocalFile> files);

}  // namespace atl::cli
