// The body of an upload of several files (multipart/form-data), written while the files are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "client/api.hpp"

namespace atl::client {

struct SentFile {
  std::string name;  // relative to the folder of the upload
  std::uint64_t size = 0;
  http::BodySource source;  // asked from when its turn comes, until it has given `size` bytes
};

class UploadBody {
 public:
  // `boundary` must be in none of the files: something random will do.
  UploadBody(std::vector<SentFile> files, std::string boundary);

  std::string content_type() const { return "multipart/form-data; boundary=" + boundary_; }
  std::uint64_t length() const { return length_; }
  // 0 at the end. kConflict when a file has become shorter.
  Task<Result<std::size_t>> read(std::span<char> into);

 private:
  std::string head_of(const SentFile& file) const;
  std::string tail() const { return "--" + boundary_ + "--\r\n"; }

  std::vector<SentFile> files_;
  std::string boundary_;
  std::uint64_t length_ = 0;
  std::size_t next_ = 0;     // file whose head is still to come
  std::uint64_t left_ = 0;   // content of the one before
  std::string text_;         // to be sent before anything else
  bool in_content_ = false;  // what ends a part is still to come
  bool ended_ = false;
};

}  // namespace atl::client
