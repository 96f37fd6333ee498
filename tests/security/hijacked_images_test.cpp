// What a hijacked `atoll` can make of the layers of an image: layers of the store, and nothing
// else. A layer shows root's files as root's inside, where the guest is root, so any other folder
// of the host that passed for one would give its secrets away.
#include "hijacked_client.hpp"

namespace atl::engine {
namespace {

class HijackedImages : public HijackedClient {
 protected:
  void SetUp() override {
    HijackedClient::SetUp();
    client_.reset();
    ::waitpid(launcher_, nullptr, 0);
    release_run_folder();
    data_ = folder_ + "/data";
    layer_ = data_ + "/images/layers/" + std::string(64, 'a');
    fs::create_directories(layer_ + "/tree");
    fs::copy_file("/bin/busybox", layer_ + "/tree/busybox");
    std::ofstream(layer_ + "/tree/file") << "of the image\n";
    start({"--disks", data_});
  }

  std::optional<LauncherReply> create(std::span<const int> layers, std::uint32_t count) {
    CreateRequest request = create_request("image");
    request.layer_count = count;
    EXPECT_TRUE(send(&request, sizeof request, layers));
    return reply();
  }

  std::string data_;
  std::string layer_;
};

TEST_F(HijackedImages, ALayerOfTheStoreIsARoot) {
  UniqueFd layer(::open(layer_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int fd = layer.get();
  auto answer = create(std::span(&fd, 1), 1);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, LauncherStatus::kOk)
      << static_cast<int>(answer->step) << " " << std::strerror(answer->errno_value);
  EXPECT_EQ(run_inside("image", {"/busybox", "cat", "/file"}).output, "of the image\n");
  // Nothing of the host, and nothing to write to.
  EXPECT_NE(run_inside("image", {"/busybox", "ls", "/usr"}).code, 0);
  EXPECT_NE(run_inside("image", {"/busybox", "touch", "/file"}).code, 0);
  destroy("image");
}

TEST_F(HijackedImages, NoOtherFolderIs) {
  // Made to look like a layer, by somebody who may make folders in /tmp.
  std::string forged = folder_ + "/forged";
  fs::create_directories(forged + "/images/layers/x");
  fs::create_directory_symlink("/etc", forged + "/tree");
  fs::create_directory_symlink("/etc", forged + "/images/layers/x/tree");
  fs::create_directories(layer_ + "/tree/tree");
  for (const std::string& path :
       {std::string("/"), std::string("/etc"), std::string("/usr"), folder_, forged,
        forged + "/images/layers/x", data_, data_ + "/images", data_ + "/images/layers",
        layer_ + "/tree", layer_ + "/tree/tree"}) {
    SCOPED_TRACE(path);
    UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(folder);
    int fd = folder.get();
    auto answer = create(std::span(&fd, 1), 1);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, LauncherStatus::kFailed);
    EXPECT_EQ(answer->step, Step::kImage);
    EXPECT_EQ(answer->errno_value, EACCES);
  }
  UniqueFd file(::open("/etc/passwd", O_RDONLY | O_CLOEXEC));
  int fd = file.get();
  auto answer = create(std::span(&fd, 1), 1);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, LauncherStatus::kFailed);
  expect_launcher_well();
}

TEST_F(HijackedImages, CountsMustFit) {
  UniqueFd layer(::open(layer_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<int> many(kMaxLayers + 1, layer.get());
  for (auto [given, said] : {std::pair<std::size_t, std::uint32_t>(0, 1),
                             {1, 0},
                             {1, 2},
                             {2, 1},
                             {kMaxLayers + 1, kMaxLayers + 1},
                             {1, 0xffffffff}}) {
    auto answer = create(std::span(many).first(given), said);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, LauncherStatus::kFailed) << given << " " << said;
    EXPECT_EQ(answer->step, Step::kBadRequest);
  }
  // The same layer twice is no overlay.
  auto answer = create(std::span(many).first(2), 2);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, LauncherStatus::kFailed);
  EXPECT_EQ(answer->step, Step::kImage);
  expect_launcher_well();
}

}  // namespace
}  // namespace atl::engine
