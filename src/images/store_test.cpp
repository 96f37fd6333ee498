#include "images/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace atl::images {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/atoll-store-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Store open() { return std::move(*Store::open((folder_ / "data").string())); }

  static LayerRecord layer(char digit) { return {std::string(64, digit), 7, 1}; }
  static Image image(std::string name, std::vector<LayerRecord> layers) {
    return {.name = std::move(name),
            .digest = "sha256:" + layers.front().diff_id,
            .layers = std::move(layers)};
  }

  // As an import does it.
  void commit(Store& store, const std::vector<LayerRecord>& layers,
              const std::vector<Image>& images) {
    Result<UniqueFd> importing = store.begin_import();
    Result<Staging> staging = store.stage();
    ASSERT_TRUE(importing && staging);
    fs::path path = folder_ / "data/images/staging";
    path = fs::directory_iterator(path)->path();
    for (const LayerRecord& one : layers) {
      fs::create_directories(path / "layers" / one.diff_id / "tree");
      std::ofstream(path / "layers" / one.diff_id / "tree/file") << "x";
    }
    fs::create_directories(path / "layers");
    ASSERT_TRUE(store.commit(*staging, layers, images));
  }

  std::size_t count(const char* part) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_ / "data/images" / part), {}));
  }

  fs::path folder_;
};

TEST_F(StoreTest, StartsEmpty) {
  Store store = open();
  EXPECT_TRUE(store.list()->empty());
  Result<Image> none = store.find("a");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Code::kNotFound);
  struct stat info{};
  ASSERT_EQ(::stat((folder_ / "data/images").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0700u);
}

TEST_F(StoreTest, FindsByNameAndDigest) {
  Store store = open();
  commit(store, {layer('1'), layer('2')}, {image("b:1", {layer('2')}), image("a:1", {layer('1')})});
  ASSERT_EQ(store.list()->size(), 2u);
  EXPECT_EQ(store.list()->front().name, "a:1");
  EXPECT_EQ(*store.find("a:1"), image("a:1", {layer('1')}));
  EXPECT_EQ(store.find("sha256:222222")->name, "b:1");
  EXPECT_FALSE(store.find("sha256:22222"));
  EXPECT_FALSE(store.find("a"));
  EXPECT_EQ(*store.layer(layer('1').diff_id), layer('1'));
}

TEST_F(StoreTest, SweepsWhatNoImageHas) {
  Store store = open();
  commit(store, {layer('1'), layer('2'), layer('3')},
         {image("a:1", {layer('1'), layer('2')}), image("b:1", {layer('1'), layer('3')})});
  ASSERT_TRUE(store.remove("a:1"));
  EXPECT_EQ(*store.known_layers(), (std::set{layer('1').diff_id, layer('3').diff_id}));
  ASSERT_TRUE(store.remove("b:1"));
  EXPECT_TRUE(store.known_layers()->empty());
  EXPECT_EQ(count("staging"), 0u);
}

TEST_F(StoreTest, ALeaseKeepsTheLayers) {
  Store store = open();
  commit(store, {layer('1')}, {image("a:1", {layer('1')}), image("b:1", {layer('1')})});
  {
    Result<Lease> lease = store.use("a:1");
    ASSERT_TRUE(lease);
    ASSERT_EQ(lease->layers.size(), 1u);
    // Another image has all of its layers: only the name goes.
    EXPECT_TRUE(store.remove("b:1"));
    Result<Image> removed = store.remove("a:1");
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code(), Code::kConflict);
    // The name moves on, and what is used stays.
    commit(store, {layer('2')}, {image("a:1", {layer('2')})});
    ASSERT_TRUE(store.sweep());
    EXPECT_EQ(store.known_layers()->size(), 2u);
  }
  ASSERT_TRUE(store.sweep());
  EXPECT_EQ(*store.known_layers(), std::set{layer('2').diff_id});
}

TEST_F(StoreTest, NothingIsSweptWhileSomebodyImports) {
  Store store = open();
  commit(store, {layer('1')}, {image("a:1", {layer('1')})});
  {
    Result<UniqueFd> importing = store.begin_import();
    ASSERT_TRUE(store.remove("a:1"));
    EXPECT_EQ(store.known_layers()->size(), 1u);
  }
  ASSERT_TRUE(store.sweep());
  EXPECT_TRUE(store.known_layers()->empty());
}

// An import holds the lock while it writes to disk, for as long as that takes.
TEST_F(StoreTest, WaitsForAnImportNoLongerThanItIsTold) {
  Store store = open();
  commit(store, {layer('a')}, {image("a:1", {layer('a')})});
  UniqueFd held(::open((folder_ / "data/images/lock").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(held);
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  Result<Lease> late = store.use("a:1", {.until = std::chrono::steady_clock::now()});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Code::kNoAvailableRuntime);
  std::atomic<bool> give_up = false;
  Result<Lease> given_up = fail(Code::kBackend, "not asked yet");
  std::thread waiting([&] { given_up = store.use("a:1", {.give_up = &give_up}); });
  give_up = true;
  waiting.join();
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code(), Code::kCancelled);
  held.reset();
  EXPECT_TRUE(store.use("a:1", {.until = std::chrono::steady_clock::now()}));
}

TEST_F(StoreTest, RefusesAFolderOfOthers) {
  {
    Store store = open();
  }
  ::chmod((folder_ / "data/images").c_str(), 0770);
  Result<Store> store = Store::open((folder_ / "data").string());
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code(), Code::kForbidden);
}

TEST_F(StoreTest, RemovesTreesWithoutPermissions) {
  Store store = open();
  commit(store, {layer('1')}, {image("a:1", {layer('1')})});
  fs::path tree = folder_ / "data/images/layers" / layer('1').diff_id / "tree";
  fs::create_directories(tree / "closed/deep");
  ::chmod((tree / "closed").c_str(), 0);
  ASSERT_TRUE(store.remove("a:1"));
  EXPECT_EQ(count("layers"), 0u);
}

}  // namespace
}  // namespace atl::images
