// Puts the entries of a layer into a folder, in the form that overlayfs reads with `userxattr`: a
// whiteout is a character device 0:0, an opaque folder has user.overlay.opaque. Names are resolved
// with that folder as the root, so that no link leads out of it. Folders get their modes and times
// last, when nothing is put into them any more.
#pragma once

#include <map>
#include <string>

#include "images/layer_reader.hpp"

namespace atl::images {

class LayerWriter final : public LayerSink {
 public:
  // `keep_owners`: as root. The folder is empty.
  LayerWriter(UniqueFd folder, bool keep_owners)
      : folder_(std::move(folder)), keep_owners_(keep_owners) {}

  Result<void> begin(const LayerEntry& entry) override;
  Result<void> data(std::uint64_t offset, std::span<const char> bytes) override;
  Result<void> end() override;
  // After the last entry.
  Result<void> finish();

 private:
  struct Place {
    int parent = -1;
    std::string name;
  };
  // Where an entry goes; its parents are made when they are missing.
  Result<Place> place(const std::string& path);
  Result<UniqueFd> open_parent(const std::string& path);
  // What no entry of the archive gives an owner to.
  bool give_to_root(const Place& place) const;
  // Makes room for something that is no folder.
  Result<bool> clear(const Place& place);
  Result<void> make_folder(const LayerEntry& entry);
  Result<void> make_link(const LayerEntry& entry, const Place& place);
  Result<void> make_whiteout(const Place& place);
  Result<void> set_opaque(const std::string& path);
  // Owner, mode, times and attributes of what is open.
  Result<void> dress(const UniqueFd& fd, const LayerEntry& entry) const;
  std::unexpected<Error> cannot(const char* what, const std::string& path) const;

  UniqueFd folder_;
  bool keep_owners_;
  UniqueFd parent_;  // of the last entry: the next one is often beside it
  std::string parent_path_;
  bool parent_known_ = false;
  UniqueFd file_;  // the one being written
  LayerEntry entry_;
  std::map<std::string, LayerEntry> folders_;  // without their paths, which are the keys
};

}  // namespace atl::images
