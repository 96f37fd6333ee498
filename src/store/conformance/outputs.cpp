// Outputs: exact bytes, small ones in their table, large ones in files.
#include <filesystem>
#include <fstream>

#include "store/conformance/harness.hpp"

namespace atl::store {
namespace {

using Part = model::LargeOutput::Part;

// All of it, wherever it lies; of a large one in portions.
std::string text_of(const model::Output& output, Part part) {
  if (!output.large) {
    return part == Part::kStdout   ? output.stdout_bytes
           : part == Part::kStderr ? output.stderr_bytes
                                   : output.merged;
  }
  std::string all;
  for (;;) {
    std::string piece = must(output.large->read(part, all.size(), 100'000));
    if (piece.empty()) return all;
    all += piece;
  }
}

class Outputs : public StoreCase {
 protected:
  model::Execution put(model::Output output) {
    model::Session session = make_session();
    model::Execution execution = make_execution(session);
    execution.output = std::move(output);
    must(write(PutSession{session}, PutExecution{execution, true}));
    return execution;
  }
  void expect_kept(const model::Execution& execution) {
    model::Execution found = must(wait(store().execution(execution.id, true)));
    EXPECT_TRUE(text_of(found.output, Part::kStdout) == execution.output.stdout_bytes);
    EXPECT_TRUE(text_of(found.output, Part::kStderr) == execution.output.stderr_bytes);
    EXPECT_TRUE(text_of(found.output, Part::kMerged) == execution.output.merged);
  }
};

model::Output every_byte(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(i * 7 + i / 256);
  return {.stdout_bytes = text,
          .stderr_bytes = "√ \xf0\x9f\x8f\x9d",
          .merged = text + std::string("\0end", 4)};
}

TEST_F(Outputs, EveryByteInARow) {
  model::Execution execution = put(every_byte(2000));
  expect_kept(execution);
  EXPECT_EQ(output_files(), 0u);
  EXPECT_EQ(must(wait(store().execution(execution.id, false))).output.stdout_bytes, "");
  // A later write of the row alone leaves the output.
  execution.state = model::ExecutionState::kFailed;
  must(write(PutExecution{execution}));
  expect_kept(execution);
}

TEST_F(Outputs, EmptyAndNone) {
  expect_kept(put({}));
  model::Session session = make_session();
  model::Execution execution = make_execution(session);
  must(write(PutSession{session}, PutExecution{execution, false}));
  EXPECT_EQ(must(wait(store().execution(execution.id, true))).output.merged, "");
}

TEST_F(Outputs, TheBorderBetweenRowAndFile) {
  model::Output output{.stdout_bytes = std::string(65'536, 'x')};
  model::Execution in_row = put(output);
  EXPECT_EQ(output_files(), 0u);
  output.stderr_bytes = "y";
  model::Execution in_file = put(output);
  EXPECT_EQ(output_files(), 1u);
  expect_kept(in_row);
  expect_kept(in_file);
}

TEST_F(Outputs, TenMebibytes) {
  model::Execution execution = put(every_byte(std::size_t{10} << 20));
  EXPECT_EQ(output_files(), 1u);
  expect_kept(execution);
  reopen();
  expect_kept(execution);
}

// It goes from file to file, and is not read into memory.
TEST_F(Outputs, ALargeOneStaysOnTheDisk) {
  model::Execution execution = put(every_byte(std::size_t{3} << 20));
  model::Execution found = must(wait(store().execution(execution.id, true)));
  ASSERT_NE(found.output.large, nullptr);
  EXPECT_EQ(found.output.stdout_bytes, "");
  EXPECT_EQ(found.output.large->size(Part::kStdout), std::size_t{3} << 20);
  model::Execution copy = put(found.output);
  EXPECT_EQ(output_files(), 2u);
  copy.output = execution.output;
  expect_kept(copy);
}

TEST_F(Outputs, WrittenAgain) {
  model::Execution execution = put(make_output(100'000, "first"));
  execution.output = make_output(100'000, "second");
  must(write(PutExecution{execution, true}));
  expect_kept(execution);
  EXPECT_EQ(output_files(), 1u);
}

TEST_F(Outputs, RefusedWritesLeaveNoFile) {
  model::Execution execution = make_execution(make_session());
  execution.output = make_output(100'000, "x");
  EXPECT_EQ(code_of(write(PutExecution{execution, true})), Code::kNotFound);
  EXPECT_EQ(output_files(), 0u);
  // But never that of a write which worked.
  model::Execution kept = put(make_output(100'000, "y"));
  EXPECT_EQ(code_of(write(PutExecution{kept, true}, PutExecution{execution, true})),
            Code::kNotFound);
  expect_kept(kept);
  EXPECT_EQ(output_files(), 1u);
}

TEST_F(Outputs, OrphansGoAtTheStart) {
  model::Execution kept = put(make_output(100'000, "z"));
  std::filesystem::path shelf = folder_.path() + "/outputs/zz";
  std::filesystem::create_directory(shelf);
  std::ofstream(shelf / "01h000000000000000000000zz") << "no row knows this";
  std::ofstream(shelf / "01h000000000000000000000zz.new") << "half";
  EXPECT_EQ(output_files(), 3u);
  reopen();
  EXPECT_EQ(output_files(), 1u);
  expect_kept(kept);
}

TEST_F(Outputs, DamageIsAnErrorAndNotAnAnswer) {
  model::Execution execution = put(make_output(100'000, "d"));
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_.path() + "/outputs")) {
    if (entry.is_regular_file()) {
      EXPECT_EQ(entry.status().permissions(), std::filesystem::perms(0600));
      std::filesystem::resize_file(entry.path(), entry.file_size() - 1);
    }
  }
  EXPECT_EQ(code_of(wait(store().execution(execution.id, true))), Code::kIo);
  EXPECT_EQ(code_of(wait(store().execution(execution.id, false))), Code::kOk);
}

}  // namespace
}  // namespace atl::store
