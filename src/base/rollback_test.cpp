#include "base/rollback.hpp"

#include <string>

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(Rollback, UndoesLastToFirst) {
  std::string log;
  {
    Rollback undo;
    undo.add([&log] { log += "first "; });
    undo.add([&log] { log += "second "; });
  }
  EXPECT_EQ(log, "second first ");
}

TEST(Rollback, ReleaseKeepsEverything) {
  std::string log;
  {
    Rollback undo;
    undo.add([&log] { log += "undone"; });
    undo.release();
  }
  EXPECT_EQ(log, "");
}

}  // namespace
}  // namespace atl
