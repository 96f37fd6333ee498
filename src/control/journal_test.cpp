#include "control/journal.hpp"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

namespace atl::control {
namespace {

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    char name[] = "/tmp/atoll-journal-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  ExecutionId id_ = ExecutionId::make();
};

TEST_F(JournalTest, WhatWasWrittenIsRead) {
  Journals journals(folder_ + "/new");
  {
    UniqueFd file = journals.begin(id_);
    ASSERT_TRUE(file);
    Journals::append(file, SpoolKind::kStdout, "out");
    Journals::append(file, SpoolKind::kStderr, std::string_view("e\0r", 3));
    Journals::append(file, SpoolKind::kStdout, "put");
  }
  model::Output output = journals.read(id_);
  EXPECT_EQ(output.stdout_bytes, "output");
  EXPECT_EQ(output.stderr_bytes, std::string("e\0r", 3));
  EXPECT_EQ(output.merged, std::string("oute\0rput", 9));
  journals.remove(id_);
  EXPECT_EQ(journals.read(id_).merged, "");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/new"));
}

TEST_F(JournalTest, ACutLastPieceIsDropped) {
  Journals journals(folder_);
  {
    UniqueFd file = journals.begin(id_);
    Journals::append(file, SpoolKind::kStdout, "whole");
    Journals::append(file, SpoolKind::kStdout, "cut off");
  }
  std::string path = folder_ + "/" + id_.str();
  for (std::uintmax_t size = std::filesystem::file_size(path) - 1; size >= 13; --size) {
    std::filesystem::resize_file(path, size);
    EXPECT_EQ(journals.read(id_).stdout_bytes, "whole") << size;
  }
}

TEST_F(JournalTest, WithoutAFolderThereIsNone) {
  Journals journals("");
  EXPECT_FALSE(journals.begin(id_));
  EXPECT_EQ(journals.read(id_).merged, "");
}

}  // namespace
}  // namespace atl::control
