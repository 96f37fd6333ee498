#include "contexts/collector.hpp"

#include <gtest/gtest.h>

namespace atl::contexts {
namespace {

RunEvent text(EventKind kind, std::string bytes) {
  return {.kind = kind, .bytes = std::move(bytes)};
}

RunEvent bundle(EventKind kind, std::string plain) {
  return {.kind = kind, .bundle = JsonObject::parse("{\"text/plain\":\"" + plain + "\"}").value()};
}

TEST(Collector, KeepsStreamsApartAndTogether) {
  Collector collector(100);
  collector.take(text(EventKind::kStdout, "a"));
  collector.take(text(EventKind::kStderr, "b"));
  collector.take(text(EventKind::kStdout, "c"));
  EXPECT_EQ(collector.result().stdout_bytes, "ac");
  EXPECT_EQ(collector.result().stderr_bytes, "b");
  EXPECT_EQ(collector.result().output, "abc");
  EXPECT_FALSE(collector.result().truncated);
}

TEST(Collector, CutsEachStreamAtItsCap) {
  Collector collector(4);
  collector.take(text(EventKind::kStdout, "123"));
  collector.take(text(EventKind::kStdout, "456"));
  EXPECT_TRUE(collector.result().truncated);
  collector.take(text(EventKind::kStdout, "789"));
  collector.take(text(EventKind::kStderr, "abc"));
  EXPECT_EQ(collector.result().stdout_bytes, "1234");
  EXPECT_EQ(collector.result().output, "1234abc");
}

TEST(Collector, KeepsWhatWasShownInOrder) {
  Collector collector(0);
  collector.take(bundle(EventKind::kDisplay, "one"));
  collector.take(bundle(EventKind::kResult, "two"));
  ASSERT_EQ(collector.result().shown.size(), 2u);
  EXPECT_FALSE(collector.result().shown[0].is_result);
  EXPECT_EQ(collector.result().shown[0].bundle.string("text/plain"), "one");
  EXPECT_TRUE(collector.result().shown[1].is_result);
}

TEST(Collector, ManySmallBundlesAreBoundedToo) {
  Collector collector(0);
  std::uint64_t count = 2 * Collector::kMaxShown / Collector::kPerBundle;
  for (std::uint64_t i = 0; i < count; ++i) collector.take(bundle(EventKind::kDisplay, ""));
  EXPECT_TRUE(collector.result().truncated);
  EXPECT_LT(collector.result().shown.size(), count / 2);
  EXPECT_GT(collector.result().shown.size(), count / 3);
}

TEST(Collector, KeepsTheFirstError) {
  Collector collector(0);
  collector.take({.kind = EventKind::kError, .error = {.ename = "First"}});
  collector.take({.kind = EventKind::kError, .error = {.ename = "Second"}});
  EXPECT_EQ(collector.result().error->ename, "First");
}

}  // namespace
}  // namespace atl::contexts
