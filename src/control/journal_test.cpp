#include "control/journal.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

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
    Journal journal = journals.begin(id_);
    ASSERT_TRUE(journal);
    EXPECT_TRUE(journal.append(1, SpoolKind::kStdout, "out"));
    EXPECT_TRUE(journal.append(2, SpoolKind::kStderr, std::string_view("e\0r", 3)));
    EXPECT_TRUE(journal.append(3, SpoolKind::kResult, "{}"));
    EXPECT_TRUE(journal.append(4, SpoolKind::kStdout, "put"));
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
    Journal journal = journals.begin(id_);
    EXPECT_TRUE(journal.append(1, SpoolKind::kStdout, "whole"));
    EXPECT_TRUE(journal.append(2, SpoolKind::kStdout, "cut off"));
  }
  std::string path = folder_ + "/" + id_.str();
  for (std::uintmax_t size = std::filesystem::file_size(path) - 1; size >= 21; --size) {
    std::filesystem::resize_file(path, size);
    EXPECT_EQ(journals.read(id_).stdout_bytes, "whole") << size;
  }
}

// From any place, in any order, and by two at once.
TEST_F(JournalTest, ALargeOneIsReadWhereItLies) {
  Journals journals(folder_);
  std::string streams[3];
  {
    Journal journal = journals.begin(id_);
    for (std::uint64_t i = 1; i <= 3000; ++i) {
      SpoolKind kind = i % 3 == 0 ? SpoolKind::kStderr : SpoolKind::kStdout;
      std::string piece(i % 1500, static_cast<char>('a' + i % 26));
      EXPECT_TRUE(journal.append(i, kind, piece));
      streams[i % 3 == 0 ? 1 : 0] += piece;
      streams[2] += piece;
    }
  }
  model::Output output = journals.read(id_);
  ASSERT_NE(output.large, nullptr);
  journals.remove(id_);  // it stays readable
  using Part = model::LargeOutput::Part;
  for (Part part : {Part::kMerged, Part::kStdout, Part::kStderr}) {
    const std::string& all = streams[part == Part::kMerged ? 2 : part == Part::kStderr ? 1 : 0];
    EXPECT_EQ(output.large->size(part), all.size());
    for (std::size_t at : {std::size_t{0}, std::size_t{70'000}, all.size() - 10, std::size_t{5}}) {
      EXPECT_TRUE(*output.large->read(part, at, 100'000) == all.substr(at, 100'000)) << at;
    }
    EXPECT_EQ(*output.large->read(part, all.size(), 10), "");
  }
}

TEST_F(JournalTest, PiecesOfAnOlderVersionAreNotShown) {
  Journals journals(folder_);
  std::uint32_t old[] = {0, 4};
  std::ofstream(folder_ + "/" + id_.str())
      .write(reinterpret_cast<const char*>(old), sizeof old)
      .write("textmore", 8);
  EXPECT_EQ(journals.read(id_).merged, "");
}

TEST_F(JournalTest, WithoutAFolderThereIsNone) {
  Journals journals("");
  EXPECT_FALSE(journals.begin(id_));
  EXPECT_EQ(journals.read(id_).merged, "");
}

}  // namespace
}  // namespace atl::control
