// What `atoll run` is going to do, with everything of the host already read and opened: after this
// point no rights of the caller are needed any more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "cli/run/run_options.hpp"
#include "images/image.hpp"
#include "sandbox/registry.hpp"
#include "sandbox/spec.hpp"

namespace atl::cli {

// A file to be put into the sandbox before the program starts.
struct FileInside {
  std::string path;
  std::string content;
};

struct RunPlan {
  std::string backend;
  sandbox::SandboxSpec spec;
  sandbox::ExecRequest request;
  std::optional<FileInside> file;
  std::optional<images::ImageConfig> image;
  std::string image_cwd;                  // where its command starts; empty: nowhere of its own
  std::optional<AskedNetwork> network;    // none: no network
  UniqueFd egress;                        // then: the connection to an atoll-egress of its own
  std::string authority;                  // with secrets: what that one speaks TLS with
  std::shared_ptr<void> trust_folder;     // of mounts; gone when the sandbox is made
  std::uint64_t max_output = UINT64_MAX;  // kept of each stream
  bool pass_stdin = false;
  bool may_be_script = false;  // the program's name is that of a file of the host
  OutputFormat output = OutputFormat::kText;
  ColorMode color = ColorMode::kAuto;
  bool quiet = false;
  bool verbose = false;
};

Result<RunPlan> make_plan(const RunOptions& options, const sandbox::BackendEntry& backend);
// The same without a program: walls, mounts, environment, working folder.
Result<RunPlan> make_sandbox_plan(const RunOptions& options, const sandbox::BackendEntry& backend);

}  // namespace atl::cli
