// What the backends declare of themselves is complete: `atoll backends` prints it.
#include <gtest/gtest.h>

#include "sandbox/registry.hpp"

namespace atl::backends {
namespace {

TEST(Backends, SayOfEachThingThatTheyCanOrWhyNot) {
  sandbox::Registry registry;
  register_all_backends(registry);
  EXPECT_TRUE(has_all_backends());
  ASSERT_GE(registry.list().size(), 4u);
  for (const sandbox::BackendEntry& entry : registry.list()) {
    for (sandbox::Cap cap : sandbox::kAllCaps) {
      auto reason = entry.lacks.find(cap);
      EXPECT_NE(entry.has(cap), reason != entry.lacks.end())
          << entry.name << ": " << sandbox::cap_name(cap);
      if (reason != entry.lacks.end()) EXPECT_FALSE(reason->second.empty());
    }
  }
}

}  // namespace
}  // namespace atl::backends
