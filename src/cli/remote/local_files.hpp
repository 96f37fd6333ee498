// Files and folders of the caller that appear only when they are whole: written under another name
// beside the target, then renamed. Dropped without commit(), nothing is left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace atl::cli {

class NewFile {
 public:
  static Result<NewFile> create(const std::string& path, std::uint32_t mode);
  NewFile(NewFile&& other) noexcept
      : path_(std::move(other.path_)),
        temporary_(std::exchange(other.temporary_, {})),
        fd_(std::move(other.fd_)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  Result<void> write(std::string_view bytes);
  Result<void> commit();

 private:
  NewFile(std::string path, std::string temporary, UniqueFd fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}
  std::string path_, temporary_;
  UniqueFd fd_;
};

// What a sandbox has in a folder is not trusted: a name that leads out is refused, a link that does
// is left out, and no link is there before the last file is written.
class NewTree {
 public:
  // kAlreadyExists when there is something at `path`.
  static Result<NewTree> create(const std::string& path);
  NewTree(NewTree&& other) noexcept;
  NewTree& operator=(NewTree&&) = delete;
  ~NewTree();

  Result<void> add_folder(const std::string& name, std::uint32_t mode);
  Result<void> begin_file(const std::string& name, std::uint32_t mode);
  Result<void> write(std::string_view bytes);
  void add_link(std::string name, std::string target);
  Result<void> commit();
  // Links that were left out.
  std::size_t left_out() const { return left_out_; }

 private:
  NewTree(std::string path, std::string temporary, UniqueFd root)
      : path_(std::move(path)), temporary_(std::move(temporary)), root_(std::move(root)) {}
  Result<void> make_parents(const std::string& name);
  Result<void> make_link(const std::string& name, const std::string& target);

  std::string path_, temporary_;
  UniqueFd root_;
  UniqueFd file_;
  std::vector<std::pair<std::string, std::string>> links_;
  std::vector<std::pair<std::string, std::uint32_t>> folders_;  // their modes come last
  std::size_t left_out_ = 0;
};

}  // namespace atl::cli
