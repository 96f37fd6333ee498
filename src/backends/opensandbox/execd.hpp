// The agent inside an OpenSandbox sandbox, by its HTTP API: commands as event streams, files.
// Shared by a sandbox and what goes on in it; one I/O thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "backends/opensandbox/messages.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::backends::opensandbox {

// Of a short script of ours.
struct ShellResult {
  std::string out;
  std::string err;
  int code = 0;
};

class Execd {
 public:
  static constexpr int kPort = 44772;

  Execd(async::Executor executor, const Settings& settings, const Endpoint& endpoint);

  async::Task<Result<void>> ping(async::Deadline deadline);
  // The open event stream. kBackend with the agent's words when it refuses.
  async::Task<Result<http::ClientResponse>> command(std::string script,
                                                    std::map<std::string, std::string> env,
                                                    std::chrono::milliseconds timeout);
  // Runs a script to its end; its output is lines of text.
  async::Task<Result<ShellResult>> run(std::string script);
  // The same, where anything but exit code 0 is the Error that its stderr tells of.
  async::Task<Result<std::string>> run_well(std::string script);

  // Writes a file from `source` on; parents are made.
  async::Task<Result<void>> upload(std::string path, http::BodySource content);
  async::Task<Result<http::ClientResponse>> download(std::string path, std::uint64_t offset,
                                                     std::uint64_t length);
  // Entries with absolute paths.
  async::Task<Result<std::vector<sandbox::FileInfo>>> list(std::string path, std::uint32_t depth);
  async::Task<Result<std::vector<sandbox::FileInfo>>> search(std::string path, std::string glob);

 private:
  async::Task<Result<http::ClientResponse>> send(http::ClientRequest request);
  async::Task<Result<std::vector<sandbox::FileInfo>>> entries(std::string target);

  std::string prefix_;
  http::Client client_;
};

}  // namespace atl::backends::opensandbox
