// Bodies about files and snapshots of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "bodies/common.hpp"

namespace atl::bodies {

struct FileBody {
  std::string name;
  std::string path;
  std::string type;  // file, directory, symlink, other
  std::uint64_t size = 0;
  std::string mode;  // octal, as in 0644
  std::string modified_at;
  std::optional<std::string> target;  // of a symlink
};
BOOST_DESCRIBE_STRUCT(FileBody, (), (name, path, type, size, mode, modified_at, target))

struct FileListBody {
  std::string path;
  std::vector<FileBody> files;
  Nullable<std::string> next_cursor;
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(FileListBody, (), (path, files, next_cursor, truncated))

struct MakeFolderBody {
  std::optional<std::string> path;
  std::string mode = "0755";
  bool parents = true;
};
BOOST_DESCRIBE_STRUCT(MakeFolderBody, (), (path, mode, parents))

struct LinkBody {
  std::string name;    // relative to the folder
  std::string target;  // relative to the folder that holds the link
};
BOOST_DESCRIBE_STRUCT(LinkBody, (), (name, target))

struct MakeLinksBody {
  std::optional<std::string> path;
  std::vector<LinkBody> links;
};
BOOST_DESCRIBE_STRUCT(MakeLinksBody, (), (path, links))

struct MoveFileBody {
  std::optional<std::string> from;
  std::optional<std::string> to;
  bool overwrite = false;
};
BOOST_DESCRIBE_STRUCT(MoveFileBody, (), (from, to, overwrite))

struct ReplaceTextBody {
  std::optional<std::string> path;
  std::optional<std::string> old_text;
  std::string new_text;
};
BOOST_DESCRIBE_STRUCT(ReplaceTextBody, (), (path, old_text, new_text))

struct ReplacedTextBody {
  FileBody file;
  std::uint64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(ReplacedTextBody, (), (file, count))

struct ChangeFileModeBody {
  std::optional<std::string> path;
  std::optional<std::string> mode;
};
BOOST_DESCRIBE_STRUCT(ChangeFileModeBody, (), (path, mode))

struct TakeSnapshotBody {
  std::optional<std::string> name;
};
BOOST_DESCRIBE_STRUCT(TakeSnapshotBody, (), (name))

struct SnapshotBody {
  std::string id;
  std::string snapshot_id;  // the same
  std::string session_id;
  std::string name;
  std::uint64_t size = 0;
  std::string created_at;
};
BOOST_DESCRIBE_STRUCT(SnapshotBody, (), (id, snapshot_id, session_id, name, size, created_at))

struct SnapshotListBody {
  std::vector<SnapshotBody> snapshots;
};
BOOST_DESCRIBE_STRUCT(SnapshotListBody, (), (snapshots))

}  // namespace atl::bodies
