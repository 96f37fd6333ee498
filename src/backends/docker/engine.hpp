// The Docker Engine API as far as this backend speaks it, over a Unix socket or TCP with TLS. The
// version is settled with the engine at the first call; Podman's compatible socket will do.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "async/task.hpp"
#include "base/result.hpp"
#include "http/client.hpp"

namespace atl::backends::docker {

using Json = boost::json::value;

struct EngineOptions {
  std::string host;         // as DOCKER_HOST: unix:///path, tcp://host:port; empty: as the docker
                            // command finds it
  std::string cert_folder;  // tcp: with ca.pem, cert.pem and key.pem; empty: no TLS
};
// What the options leave open is taken from DOCKER_HOST, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH.
EngineOptions with_environment(EngineOptions options);

// What of the engine's machine decides which walls there are.
struct EngineFacts {
  bool memory_limit = false;
  bool cpu_limit = false;
  bool pids_limit = false;
  bool user_namespace = false;
  bool seccomp = false;
  bool has_cgroup_namespace = false;  // may be asked for: API 1.41
  bool plain_tmpfs = false;           // Podman: without an owner, or a limit of inodes
};

enum class PathKind { kMissing, kFolder, kFile, kLink };
struct PathFacts {
  PathKind kind = PathKind::kMissing;
  std::string target;  // of a link: where it leads in the end
};

class Engine {
 public:
  Engine(async::Executor executor, const EngineOptions& options);

  // 404 is kNotFound, 409 kConflict, other refusals kBackend with the engine's words. An engine
  // that does not answer is kBackend as well, and the message says what to do.
  async::Task<Result<Json>> call(http::Method method, std::string target, Json body = nullptr);
  async::Task<Result<EngineFacts>> facts();
  // What a created container has at that path.
  async::Task<Result<PathFacts>> look_at(std::string container, std::string path);
  // The paths of everything in a folder of it, relative to the folder.
  async::Task<Result<std::vector<std::string>>> all_below(std::string container,
                                                          std::string folder);
  // From its registry; progress goes to the log.
  async::Task<Result<void>> pull(std::string image);
  // What `docker save` wrote. The names of its images, or their ids.
  async::Task<Result<std::vector<std::string>>> load(http::BodySource archive);
  async::Task<Result<void>> tag(std::string image, std::string name);

 private:
  async::Task<Result<void>> settle_version();
  async::Task<Result<http::ClientResponse>> send(http::ClientRequest request);
  // Of something long: one JSON object a line.
  using TakeStep = std::function<Result<void>(const Json& step)>;
  async::Task<Result<void>> follow(http::ClientRequest request, TakeStep take);
  Error unreachable(const Error& error) const;

  std::string host_;
  http::Client client_;
  std::string prefix_;  // "/v1.41"
  int minor_ = 0;
  bool is_podman_ = false;
};

// The text, number or truth at a JSON pointer; the type's nothing when it is not there.
std::string text_at(const Json& value, std::string_view pointer);
double number_at(const Json& value, std::string_view pointer);
bool truth_at(const Json& value, std::string_view pointer);
const Json* at(const Json& value, std::string_view pointer);

}  // namespace atl::backends::docker
