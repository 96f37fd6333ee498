// kTreePut: unpacks a pack below a directory. No symlink is followed on the way, neither one that
// was there nor one that the pack itself brought.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "guest/atomic_file.hpp"
#include "guest/connection.hpp"
#include "guest/operations.hpp"
#include "guest/pack.hpp"
#include "guest/paths.hpp"
#include "guest/server.hpp"

namespace atl::guest {
namespace {

class TreePutChannel final : public Channel {
 public:
  TreePutChannel(Connection& connection, std::uint32_t id, UniqueFd root)
      : Channel(connection, id), root_(std::move(root)) {}

  void on_data(std::string_view bytes) override {
    std::size_t size = bytes.size();
    for (;;) {
      auto event = reader_.next(bytes);
      if (!event) return fail_with(event.error());
      if (*event == PackReader::Event::kMore ||
          (*event == PackReader::Event::kEnd && bytes.empty())) {
        break;
      }
      if (auto done = act(*event); !done) return fail_with(done.error());
    }
    consumed(size);
  }

  void on_eof() override {
    if (!reader_.ended()) return fail_with(Error(Code::kInvalidArgument, "The pack is cut off."));
    reply({});
    finish();
  }

 private:
  Result<void> act(PackReader::Event event) {
    const PackEntry& entry = reader_.entry();
    switch (event) {
      case PackReader::Event::kEntry: return begin(entry);
      case PackReader::Event::kContent: return file_->write(reader_.content());
      case PackReader::Event::kDone:
        if (!file_) return {};
        ATOLL_CHECK(file_->commit(entry.mode, entry.mtime_ns));
        file_.reset();
        return {};
      default: return {};
    }
  }

  Result<void> begin(const PackEntry& entry) {
    AsUser as_user(server().config());
    std::size_t slash = entry.path.rfind('/');
    std::string parent = slash == std::string::npos ? "." : entry.path.substr(0, slash);
    Place place{UniqueFd(), entry.path.substr(slash + 1)};
    auto dir = open_below(root_, parent, O_PATH | O_DIRECTORY);
    if (!dir && dir.error().errno_value() == ENOENT) dir = make_below(parent);
    if (!dir) return fail(std::move(dir).error());
    place.dir = std::move(*dir);
    if (entry.kind == FileInfo::kDirectory) return make(place, entry.mode);
    if (entry.kind == FileInfo::kSymlink) return link(place, entry.target);
    ATOLL_TRY(AtomicFile file, AtomicFile::create(server().config(), std::move(place)));
    file_.emplace(std::move(file));
    return {};
  }

  // Parents that the pack does not name.
  Result<UniqueFd> make_below(const std::string& path) {
    for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
      std::string part = path.substr(0, slash);
      std::size_t last = part.rfind('/');
      ATOLL_TRY(UniqueFd dir,
                open_below(root_, last == std::string::npos ? "." : part.substr(0, last),
                           O_PATH | O_DIRECTORY));
      if (::mkdirat(dir.get(), part.c_str() + (last == std::string::npos ? 0 : last + 1), 0755) !=
              0 &&
          errno != EEXIST) {
        return fail_path("Making", part);
      }
      if (slash == std::string::npos) return open_below(root_, path, O_PATH | O_DIRECTORY);
    }
  }

  // The owner keeps the right to fill it, whatever the pack says.
  Result<void> make(const Place& place, std::uint32_t mode) {
    mode = (mode & 0777) | 0700;
    if (::mkdirat(place.dir.get(), place.name.c_str(), mode) == 0) {
      // Its mode is set apart from the umask; nobody else can have replaced it but the user
      // himself.
      ::fchmodat(place.dir.get(), place.name.c_str(), mode, 0);
      return {};
    }
    struct stat status{};
    int error = errno;
    if (error == EEXIST &&
        ::fstatat(place.dir.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(status.st_mode)) {
      return {};
    }
    errno = error;
    return fail_path("Making", place.name);
  }

  Result<void> link(const Place& place, const std::string& target) {
    if (::symlinkat(target.c_str(), place.dir.get(), place.name.c_str()) == 0) return {};
    if (errno == EEXIST && ::unlinkat(place.dir.get(), place.name.c_str(), 0) == 0 &&
        ::symlinkat(target.c_str(), place.dir.get(), place.name.c_str()) == 0) {
      return {};
    }
    return fail_path("Linking", place.name);
  }

  UniqueFd root_;
  PackReader reader_;
  std::optional<AtomicFile> file_;
};

}  // namespace

ChannelPtr open_tree_put(Connection& connection, std::uint32_t id, const std::string& path) {
  auto root = make_directories(path, 0755);
  if (!root) {
    connection.answer(id, fail(std::move(root).error()));
    return nullptr;
  }
  return std::make_unique<TreePutChannel>(connection, id, std::move(*root));
}

}  // namespace atl::guest
