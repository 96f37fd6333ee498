#include "node/bootstrap.hpp"

#include <unistd.h>

#include <utility>

#include "config/find_file.hpp"
#include "observe/log.hpp"

namespace atl::node {

using async::Task;

namespace {

constexpr std::size_t kPiece = 1u << 20;

using Pieces = std::vector<std::string>;

// Whole: what a workspace starts with is bounded (BootstrapLimits).
Result<Pieces> read_whole(const config::BootstrapFile& file) {
  ATOLL_TRY(UniqueFd fd, config::open_bootstrap_file(file));
  Pieces pieces;
  for (std::uint64_t left = config::BootstrapLimits().bytes;;) {
    std::string piece(kPiece, '\0');
    ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0) return fail_errno("reading a file for new workspaces");
    if (got == 0) return pieces;
    if (static_cast<std::uint64_t>(got) > left) {
      return fail(Code::kTooLarge, "a file for new workspaces has grown too large");
    }
    left -= static_cast<std::uint64_t>(got);
    piece.resize(static_cast<std::size_t>(got));
    pieces.push_back(std::move(piece));
  }
}

}  // namespace

Bootstrap::Bootstrap(config::BootstrapConfig config, std::string folder, std::string home)
    : config_(std::move(config)), folder_(std::move(folder)), home_(std::move(home)) {
  config_.init_dir = config::expand_home(config_.init_dir, home_);
}

// Most servers have none of it: new sandboxes shall not wait for a thread then.
bool Bootstrap::nothing_there() const {
  if (config_.init_dir.starts_with('/') && ::access(config_.init_dir.c_str(), F_OK) == 0) {
    return false;
  }
  return ::access(folder_.c_str(), F_OK) != 0;
}

Task<Result<void>> Bootstrap::fill(std::shared_ptr<sandbox::Sandbox> sandbox) {
  if (nothing_there()) co_return Result<void>();
  ATOLL_CO_TRY(config::BootstrapPlan plan, co_await async::on_pool(pool_, [this] {
                 return config::plan_bootstrap(config_, folder_, home_);
               }));
  if (plan.skipped != skipped_) {
    for (const std::string& one : plan.skipped)
      log::warn("bootstrap_skipped", log::kv("file", one));
    skipped_ = std::move(plan.skipped);
  }
  for (const config::BootstrapFile& file : plan.files) {
    ATOLL_CO_TRY(Pieces pieces,
                 co_await async::on_pool(pool_, [&file] { return read_whole(file); }));
    std::string path = sandbox->workspace() + "/" + file.target;
    ATOLL_CO_TRY(std::unique_ptr<sandbox::ByteStream> stream,
                 co_await sandbox->put_file(std::move(path), file.executable ? 0755 : 0644));
    for (std::string& piece : pieces) ATOLL_CO_CHECK(co_await stream->write(std::move(piece)));
    ATOLL_CO_CHECK(co_await stream->finish());
  }
  co_return Result<void>();
}

}  // namespace atl::node
