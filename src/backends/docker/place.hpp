// What one sandbox has on the host: a folder that the container sees, with the guest's socket in
// it, and the token beside it. Found again by whoever comes after a crash.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "guest/start.hpp"
#include "sandbox/tokens.hpp"

namespace atl::backends::docker {

// Where a container finds whoever waits for the sockets of its network.
struct NetworkPlace {
  std::string folder;
  UniqueFd listener;  // its net.sock
};

// Owns nothing: a name for paths. `root` is a private folder of the server.
class Places {
 public:
  explicit Places(std::string root) : root_(std::move(root)), tokens_(root_) {}

  // The container's user may write into the folder until close_folder().
  Result<guest::Token> make(const SandboxId& id) const;
  // Nothing in the container gets to the folder any more, not even to the socket: the guest has
  // bound it, and needs the folder no longer.
  Result<void> close_folder(const SandboxId& id) const;
  Result<guest::Token> token(const SandboxId& id) const { return tokens_.find(id); }
  std::string folder(const SandboxId& id) const { return root_ + "/" + id.str(); }
  std::string socket(const SandboxId& id) const { return folder(id) + "/guest.sock"; }
  // A file and a folder with nothing in them and for nobody, to hide others behind.
  Result<std::string> hidden_file() const;
  Result<std::string> hidden_folder() const;
  // A folder that nothing but one other container sees, for a moment.
  Result<NetworkPlace> make_network(const SandboxId& id) const;
  void remove_network(const SandboxId& id) const;
  // Whether the network of a sandbox was ever opened; outlives this process.
  Result<void> note_opened(const SandboxId& id) const;
  bool was_opened(const SandboxId& id) const;
  std::vector<SandboxId> all() const { return tokens_.all(); }
  void remove(const SandboxId& id) const;
  void remove_root() const;

 private:
  std::string network_folder(const SandboxId& id) const { return root_ + "/net-" + id.str(); }
  std::string note(const SandboxId& id) const { return folder(id) + "/opened"; }

  std::string root_;
  sandbox::Tokens tokens_;
};

}  // namespace atl::backends::docker
