// Which node a session gets, and where a session's node is found again.
#include "node/placement.hpp"

#include <gtest/gtest.h>

namespace atl::node {
namespace {

using async::Task;

class TestNode final : public Node {
 public:
  explicit TestNode(std::string id) : id_(std::move(id)) {}

  bool lost = false;
  std::string cannot;  // make it, and why
  std::uint64_t ready = 0;
  NodeResources has{.memory_total = 100};
  std::size_t kept = 0;  // templates

  const std::string& id() const override { return id_; }
  std::string backend_of(const model::Template&) const override { return "test"; }
  std::vector<std::string> backends() const override { return {}; }
  Result<void> check(const model::Template&, const model::SessionConfig&) const override {
    if (cannot.empty()) return {};
    return fail(Code::kPolicyUnsupported, cannot);
  }
  bool can_find_again(const std::string&) const override { return true; }
  bool opens_networks(const std::string&) const override { return false; }
  NodeResources resources() const override { return has; }
  std::map<std::string, PoolFigures> pool_figures() const override {
    return {{"t", {.ready = ready, .hits = 1, .misses = 2}}};
  }
  Task<Result<void>> open_default() override { co_return Result<void>(); }
  void keep_ready(std::vector<TemplatePtr> templates) override { kept = templates.size(); }
  Task<SandboxPtr> claim(TemplatePtr, model::SessionConfig) override { co_return nullptr; }
  Task<Result<SandboxPtr>> make(SandboxId, TemplatePtr, model::SessionConfig) override {
    co_return fail(Code::kBackend, "none");
  }
  Task<Result<SandboxPtr>> find_again(std::string, SandboxId, TemplatePtr,
                                      model::SessionConfig) override {
    co_return fail(Code::kNotFound, "none");
  }
  Task<Result<void>> destroy(std::string, SandboxId) override { co_return Result<void>(); }
  Task<Result<std::vector<SandboxId>>> list_left(std::string) override {
    co_return std::vector<SandboxId>();
  }
  void forget_made() override {}
  Task<void> until_lost() override { co_return; }
  bool is_lost() const override { return lost; }
  void stop_waiting() override {}
  Task<void> shut_down() override { co_return; }

 private:
  std::string id_;
};

class PlacementTest : public testing::Test {
 protected:
  PlacementTest() { origin_.id = "t"; }

  static std::vector<std::unique_ptr<Node>> both(TestNode** a, TestNode** b) {
    std::vector<std::unique_ptr<Node>> nodes;
    auto first = std::make_unique<TestNode>("a");
    auto second = std::make_unique<TestNode>("b");
    *a = first.get();
    *b = second.get();
    nodes.push_back(std::move(first));
    nodes.push_back(std::move(second));
    return nodes;
  }
  std::string chosen() const {
    Result<Node*> node = placement_.choose(origin_, {});
    return node ? (*node)->id() : std::string(code_name(node.error().code()));
  }

  TestNode* a_ = nullptr;
  TestNode* b_ = nullptr;
  Placement placement_{both(&a_, &b_)};
  model::Template origin_;
};

TEST_F(PlacementTest, ASandboxThatWaitsComesFirst) {
  a_->has.memory_used = 10;
  b_->has.memory_used = 90;
  EXPECT_EQ(chosen(), "a");
  b_->ready = 1;
  EXPECT_EQ(chosen(), "b");
  a_->ready = 1;
  EXPECT_EQ(chosen(), "a") << "both have one: the one with more memory";
}

TEST_F(PlacementTest, FreeMemoryDecides) {
  a_->has.memory_used = 60;
  EXPECT_EQ(chosen(), "b");
  b_->has.memory_used = 120;  // a report that makes no sense
  EXPECT_EQ(chosen(), "a");
}

TEST_F(PlacementTest, OnlyNodesThatCanMakeIt) {
  a_->ready = 1;
  a_->cannot = "no network";
  EXPECT_EQ(chosen(), "b");
  b_->lost = true;
  EXPECT_EQ(chosen(), "policy_unsupported") << "why the one that is there cannot";
  a_->cannot.clear();
  EXPECT_EQ(chosen(), "a");
}

TEST_F(PlacementTest, ALostNodeGetsNothing) {
  a_->ready = 1;
  a_->lost = true;
  EXPECT_EQ(chosen(), "b");
  EXPECT_FALSE(placement_.is_lost());
  b_->lost = true;
  EXPECT_EQ(chosen(), "no_available_runtime");
  EXPECT_TRUE(placement_.is_lost());
}

TEST_F(PlacementTest, FindsByRuntimeNode) {
  b_->lost = true;  // its sessions are still there
  EXPECT_EQ(placement_.find("a"), a_);
  EXPECT_EQ(placement_.find("b"), b_);
  EXPECT_EQ(placement_.find("c"), nullptr);
  EXPECT_EQ(placement_.find(""), nullptr);
}

TEST_F(PlacementTest, FiguresAreSums) {
  a_->ready = 2;
  b_->ready = 3;
  PoolFigures sum = placement_.pool_figures()["t"];
  EXPECT_EQ(sum.ready, 5u);
  EXPECT_EQ(sum.hits, 2u);
  EXPECT_EQ(sum.misses, 4u);
}

TEST_F(PlacementTest, NothingIsKeptReadyByNodesThatAreNotOpen) {
  placement_.keep_ready({std::make_shared<const model::Template>()});
  EXPECT_EQ(a_->kept + b_->kept, 0u);
}

}  // namespace
}  // namespace atl::node
