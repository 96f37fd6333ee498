// What is where in an image, as the rules of the file system policy need it: symbolic links
// followed, and the names that globs match. Asks the engine, each thing once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "backends/docker/engine.hpp"
#include "base/result.hpp"
#include "sandbox/fs_policy.hpp"

namespace atl::backends::docker {

// A path without symbolic links; of what is missing, where it would be.
struct RealPath {
  std::string path;
  PathKind kind = PathKind::kMissing;  // never kLink
};

class ImageView {
 public:
  using LookAt = std::function<async::Task<Result<PathFacts>>(std::string path)>;
  using AllBelow = std::function<async::Task<Result<std::vector<std::string>>>(std::string folder)>;

  ImageView(LookAt look_at, AllBelow all_below)
      : look_at_(std::move(look_at)), all_below_(std::move(all_below)) {}

  async::Task<Result<RealPath>> resolve(std::string path);
  // With the globs of what the image holds expanded.
  async::Task<Result<sandbox::FilesystemPolicy>> expand(sandbox::FilesystemPatterns patterns);

 private:
  LookAt look_at_;
  AllBelow all_below_;
  std::map<std::string, PathFacts> seen_;
};

}  // namespace atl::backends::docker
