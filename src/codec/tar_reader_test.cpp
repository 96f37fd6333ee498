#include "codec/tar_reader.hpp"

#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

namespace atl::codec {
namespace {

std::string header(const std::string& name, char type, std::size_t size,
                   const std::string& target = {}) {
  std::string block(512, '\0');
  auto put = [&block](std::size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  char text[16];
  put(0, name);
  put(100, "0000755");
  std::snprintf(text, sizeof text, "%011zo", size);
  put(124, text);
  put(148, "        ");
  block[156] = type;
  put(157, target);
  put(257, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (char byte : block) sum += static_cast<unsigned char>(byte);
  std::snprintf(text, sizeof text, "%06o", sum);
  put(148, std::string(text) + '\0' + ' ');
  return block;
}

std::string padded(std::string content) {
  content.resize((content.size() + 511) / 512 * 512, '\0');
  return content;
}

// What was read, a line each; the archive is given in pieces of `step` bytes.
std::string read(const std::string& archive, std::size_t step) {
  TarReader reader;
  std::string log;
  std::string content;
  for (std::size_t at = 0; at < archive.size(); at += step) {
    std::string_view input = std::string_view(archive).substr(at, step);
    for (;;) {
      Result<TarReader::Event> event = reader.next(input);
      if (!event) return log + "error";
      if (*event == TarReader::Event::kMore) break;
      if (*event == TarReader::Event::kEnd) return log + "end";
      const TarEntry& entry = reader.entry();
      if (*event == TarReader::Event::kContent) content += reader.content();
      if (*event == TarReader::Event::kDone) log += "=" + std::exchange(content, {}) + "\n";
      if (*event == TarReader::Event::kEntry) {
        constexpr const char* kKinds[] = {"file ", "folder ", "link ", "other "};
        content.clear();
        log += kKinds[static_cast<int>(entry.kind)] + entry.name + " " + entry.target + "\n";
      }
    }
  }
  return log + "cut";
}

const std::string kEnd(1024, '\0');

TEST(TarReader, ReadsInPiecesOfAnySize) {
  std::string long_name(200, 'n');
  std::string record = "path=" + long_name + "\n";
  record = std::to_string(record.size() + 4) + " " + record;
  std::string archive = header("d/", '5', 0) + header("d/a", '0', 5) + padded("hello") +
                        header("d/empty", '0', 0) + header("l", '2', 0, "d/a") +
                        header("fifo", '6', 0) + header("x", 'x', record.size()) + padded(record) +
                        header("short", '0', 600) + padded(std::string(600, 'z')) + kEnd;
  std::string wanted =
      "folder d/ \nfile d/a \n=hello\nfile d/empty \n=\nlink l d/a\nother fifo \nfile " +
      long_name + " \n=" + std::string(600, 'z') + "\nend";
  for (std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{512}, archive.size()}) {
    EXPECT_EQ(read(archive, step), wanted) << step;
  }
}

TEST(TarReader, ContentOfOtherKindsIsPassedOver) {
  EXPECT_EQ(
      read(header("odd", '7', 3) + padded("abc") + header("a", '0', 1) + padded("b") + kEnd, 100),
      "other odd \nfile a \n=b\nend");
}

TEST(TarReader, KnowsWhenItIsNotWhole) {
  std::string archive = header("a", '0', 5) + padded("hello");
  EXPECT_EQ(read(archive, 512), "file a \n=hello\ncut");
  EXPECT_EQ(read(archive.substr(0, 514), 512), "file a \ncut");
}

TEST(TarReader, RefusesWhatIsNoArchive) {
  EXPECT_EQ(read(std::string(512, 'x'), 512), "error");
  std::string wrong = header("a", '0', 5);
  wrong[0] = 'b';
  EXPECT_EQ(read(wrong, 512), "error");
  EXPECT_EQ(read(header("x", 'x', 1 << 20), 512), "error");
  for (const char* record : {"9 path\n", "99 path=a\n", "path=a\n", "7 path=a"}) {
    std::string text = record;
    EXPECT_EQ(read(header("x", 'x', text.size()) + padded(text), 512), "error") << record;
  }
}

}  // namespace
}  // namespace atl::codec
