// What all sandboxes of a docker backend share, and the ends of containers: one that cannot be
// removed now is remembered and removed when the engine is back.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task_group.hpp"
#include "backends/docker/config.hpp"
#include "backends/docker/container.hpp"
#include "backends/docker/engine.hpp"
#include "backends/docker/place.hpp"

namespace atl::backends::docker {

struct Shared {
  Shared(async::Executor executor, const EngineOptions& options, const std::string& folder)
      : executor(executor), engine(executor, options), places(folder), tasks(std::move(executor)) {}

  async::Executor executor;
  Engine engine;
  Places places;
  std::string instance;
  std::string guest_program;
  std::string net_program;
  Config config;
  bool once = false;
  std::optional<EngineFacts> facts;              // once the engine was asked
  std::vector<SandboxId> owed;                   // to be removed when the engine is back
  bool pays = false;                             // somebody waits for that
  std::size_t looks_begun = 0, looks_over = 0;   // into images and networks, each by a container
                                                 // of its own
  std::map<std::string, PolicyMounts> policies;  // of sandboxes without mounts, by image and policy
  async::TaskGroup tasks;                        // last: they use the rest

  std::string name_of(const SandboxId& id) const { return "atoll-" + instance + "-" + id.str(); }
};

// As the engine describes it, whatever it is called now. kNotFound: there is none.
async::Task<Result<Json>> inspect(std::shared_ptr<Shared> shared, SandboxId id);

// With everything in it, and its place. One that is gone already is no error; one that cannot be
// removed is, and is tried again until it is gone.
async::Task<Result<void>> remove_container(std::shared_ptr<Shared> shared, SandboxId id);

}  // namespace atl::backends::docker
