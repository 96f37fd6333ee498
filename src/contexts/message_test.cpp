#include "contexts/message.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atl::contexts {
namespace {

using testing::ElementsAre;

// "word body" of every message, fed in pieces of `step` bytes; the error's sentence at the end.
std::vector<std::string> read(std::string_view bytes, std::size_t step, bool cut_off = false) {
  static constexpr const char* kNames[] = {"ready",   "stdout", "stderr", "result",
                                           "display", "error",  "done"};
  MessageReader reader(cut_off);
  std::vector<std::string> seen;
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    for (;;) {
      Result<std::optional<Message>> message = reader.next(piece);
      if (!message) {
        EXPECT_EQ(message.error().code(), Code::kProtocol);
        seen.push_back("! " + message.error().message());
        return seen;
      }
      if (!*message) break;
      seen.push_back(std::string(kNames[static_cast<int>((*message)->word)]) + " " +
                     (*message)->body);
    }
    EXPECT_TRUE(piece.empty());
  }
  return seen;
}

TEST(MessageReader, FindsMessagesHoweverTheyArrive) {
  std::string bytes = "ready 2\n{}stdout 6\nhi\nyo\nstderr 0\nresult 3\n{ }display 2\n{}done 2\n{}";
  for (std::size_t step : {1u, 2u, 3u, 7u, 1000u}) {
    EXPECT_THAT(read(bytes, step), ElementsAre("ready {}", "stdout hi\nyo\n", "stderr ",
                                               "result { }", "display {}", "done {}"))
        << step;
  }
}

TEST(MessageReader, ABodyMayHoldAnything) {
  std::string body("stdout 5\n\0\xff\n", 12);
  std::string bytes = "stdout " + std::to_string(body.size()) + "\n" + body;
  EXPECT_THAT(read(bytes, 4), ElementsAre("stdout " + body));
}

TEST(MessageReader, RefusesWhatIsNoMessage) {
  EXPECT_THAT(read("hello\n", 100), ElementsAre("! a header is unknown"));
  EXPECT_THAT(read("run 3\nabc", 100), ElementsAre("! a header is unknown"));
  EXPECT_THAT(read("stdout\n", 100), ElementsAre("! a header is unknown"));
  EXPECT_THAT(read("stdout x\n", 100), ElementsAre("! a header has no length"));
  EXPECT_THAT(read("stdout -1\n", 100), ElementsAre("! a header has no length"));
  EXPECT_THAT(read("stdout 1 \n", 100), ElementsAre("! a header has no length"));
  EXPECT_THAT(read("stdout \n", 100), ElementsAre("! a header has no length"));
  EXPECT_THAT(read(std::string(1000, 'x'), 10), ElementsAre("! a header is too long"));
  EXPECT_THAT(read("stdout 00000000000000000000000001\nx", 100),
              ElementsAre("! a header is too long"));
}

TEST(MessageReader, RefusesLengthsBeforeTheirBytesCome) {
  EXPECT_THAT(read("stdout 65537\n", 100), ElementsAre("! a message is too large"));
  EXPECT_THAT(read("done 65537\n", 100), ElementsAre("! a message is too large"));
  EXPECT_THAT(read("result 16842753\n", 100), ElementsAre("! a message is too large"));
  EXPECT_THAT(read("result 99999999999999999999\n", 100), ElementsAre("! a header has no length"));
  EXPECT_TRUE(read("result 16842752\n", 100).empty());
}

TEST(MessageReader, CountsWhatIsPending) {
  MessageReader reader;
  std::string_view bytes = "done 2\n{}stdo";
  EXPECT_TRUE(reader.next(bytes).value().has_value());
  EXPECT_EQ(reader.pending(), 0u);
  EXPECT_FALSE(reader.next(bytes).value().has_value());
  EXPECT_EQ(reader.pending(), 4u);
  bytes = "ut 9\nabc";
  EXPECT_FALSE(reader.next(bytes).value().has_value());
  EXPECT_EQ(reader.pending(), 12u);
}

// The reader before us had taken the first part of a large message when it died.
TEST(MessageReader, FindsItsWayIntoAStreamThatWasCutOff) {
  std::string rest = R"(aaaa","text/plain":"a picture"})";
  for (std::size_t step : {1u, 5u, 1000u}) {
    EXPECT_THAT(read(rest + "stdout 3\nhi\ndone 2\n{}", step, true),
                ElementsAre("stdout hi\n", "done {}"))
        << step;
    EXPECT_THAT(read("done 2\n{}", step, true), ElementsAre("done {}")) << step;
    EXPECT_THAT(read("no header\nnor 5\nstdout 999999\ndone 2\n{}", step, true),
                ElementsAre("done {}"))
        << step;
    EXPECT_TRUE(read(std::string(1000, 'x'), step, true).empty());
  }
}

TEST(RunMessage, SaysHowLongTheCodeIs) {
  EXPECT_EQ(run_message("1+1"), "run 3\n1+1");
  EXPECT_EQ(run_message(""), "run 0\n");
}

}  // namespace
}  // namespace atl::contexts
