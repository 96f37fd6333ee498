#include "backends/docker/import.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "async/run.hpp"
#include "backends/docker/engine.hpp"
#include "model/image_name.hpp"

namespace atl::backends::docker {
namespace {

using async::Task;
using http::Method;

struct Upload {
  sandbox::ImageArchive archive;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

// Blocks, as nothing else happens in this process.
Task<Result<std::size_t>> read_archive(std::shared_ptr<Upload> upload, std::span<char> into) {
  ssize_t size = ::read(upload->archive.file.get(), into.data(), into.size());
  if (size < 0) co_return fail_errno("reading the archive");
  upload->done += static_cast<std::uint64_t>(size);
  if (upload->archive.on_progress) upload->archive.on_progress(upload->done, upload->total);
  co_return static_cast<std::size_t>(size);
}

Task<Result<std::vector<std::string>>> load(async::Executor executor,
                                            std::shared_ptr<Upload> upload) {
  Engine engine(std::move(executor), with_environment({}));
  ATOLL_CO_TRY(std::vector<std::string> names, co_await engine.load([upload](std::span<char> into) {
    return read_archive(upload, into);
  }));
  const std::string& name = upload->archive.name;
  if (name.empty()) co_return names;
  if (names.size() != 1) {
    co_return fail(Code::kInvalidArgument,
                   "--name: the archive has " + std::to_string(names.size()) + " images, not one");
  }
  ATOLL_CO_CHECK(co_await engine.tag(names.front(), name));
  co_return std::vector<std::string>{name};
}

}  // namespace

Result<std::vector<std::string>> import_images(sandbox::ImageArchive archive) {
  if (!archive.name.empty() && !model::is_image_name(archive.name)) {
    return fail(Code::kInvalidArgument, std::string("--name ") + model::kImageNameForm);
  }
  auto upload = std::make_shared<Upload>();
  upload->archive = std::move(archive);
  struct stat info{};
  bool is_file = ::fstat(upload->archive.file.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (is_file) upload->total = static_cast<std::uint64_t>(info.st_size);
  return async::run_to_end<Result<std::vector<std::string>>>(
      [&](async::Executor executor) { return load(std::move(executor), upload); });
}

}  // namespace atl::backends::docker
