// The content of one file on its way into a remote sandbox or out of it, in bounded memory.
#pragma once

#include <memory>
#include <string>

#include "async/task_group.hpp"
#include "backends/opensandbox/execd.hpp"
#include "sandbox/sandbox.hpp"

namespace atl::backends::opensandbox {

// Goes to a place of its own first and to `path` as a whole at finish().
std::unique_ptr<sandbox::ByteStream> make_upload(std::shared_ptr<async::TaskGroup> tasks,
                                                 std::shared_ptr<Execd> execd, std::string path,
                                                 std::uint32_t mode);
std::unique_ptr<sandbox::ByteStream> make_download(http::ClientResponse response);

// Where an upload, or a program's input, waits inside the sandbox.
std::string scratch_path();

}  // namespace atl::backends::opensandbox
