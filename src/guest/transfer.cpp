// kFilePut and kFileGet.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "guest/atomic_file.hpp"
#include "guest/connection.hpp"
#include "guest/operations.hpp"
#include "guest/server.hpp"

namespace atl::guest {
namespace {

class PutChannel final : public Channel {
 public:
  using Channel::Channel;

  void start(const PutArgs& args) {
    mode_ = args.mode;
    auto place = open_place(args.path, args.make_parents != 0);
    if (!place) return fail_with(place.error());
    auto file = AtomicFile::create(server().config(), std::move(*place));
    if (!file) return fail_with(file.error());
    file_.emplace(std::move(*file));
  }

  void on_data(std::string_view bytes) override {
    if (auto written = file_->write(bytes); !written) return fail_with(written.error());
    consumed(bytes.size());
  }

  void on_eof() override {
    if (auto done = file_->commit(mode_, std::nullopt); !done) return fail_with(done.error());
    reply({});
    finish();
  }

 private:
  std::uint32_t mode_ = 0;
  std::optional<AtomicFile> file_;
};

class GetChannel final : public SourceChannel {
 public:
  using SourceChannel::SourceChannel;

  void start(const GetArgs& args) {
    auto file = open_path(args.path, O_RDONLY);
    if (!file) return fail_with(file.error());
    struct stat status{};
    if (::fstat(file->get(), &status) != 0) {
      return fail_with(fail_path("Reading", args.path).error());
    }
    if (!S_ISREG(status.st_mode)) {
      return fail_with(Error(Code::kInvalidArgument, "\"" + args.path + "\" is not a file."));
    }
    file_ = std::move(*file);
    position_ = std::min<std::uint64_t>(args.offset, INT64_MAX);
    left_ = args.length;
    reply(encoded(file_info(status, args.path)));
    schedule();
  }

 private:
  Filled fill(std::span<char> room) override {
    std::size_t want = std::min<std::uint64_t>(room.size(), left_);
    ssize_t size =
        want == 0 ? 0 : ::pread(file_.get(), room.data(), want, static_cast<off_t>(position_));
    // The reply promised content: an error now can only end the stream early, which a size check
    // shows.
    if (size <= 0) return {0, More::kEnd};
    position_ += static_cast<std::uint64_t>(size);
    left_ -= static_cast<std::uint64_t>(size);
    return {static_cast<std::size_t>(size), More::kYes};
  }

  UniqueFd file_;
  std::uint64_t position_ = 0;
  std::uint64_t left_ = 0;
};

}  // namespace

ChannelPtr open_put(Connection& connection, std::uint32_t id, const PutArgs& args) {
  auto channel = std::make_unique<PutChannel>(connection, id);
  channel->start(args);
  return channel;
}

ChannelPtr open_get(Connection& connection, std::uint32_t id, const GetArgs& args) {
  auto channel = std::make_unique<GetChannel>(connection, id);
  channel->start(args);
  return channel;
}

}  // namespace atl::guest
