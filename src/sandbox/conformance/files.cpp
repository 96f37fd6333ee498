// Files: content, modes, names, listings, errors.
#include <algorithm>

#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;
using namespace std::string_literals;

Task<void> put_and_get(Box* box) {
  std::string content = "line\n\0\xff\xfe"s;
  ATOLL_NEED_OK(co_await box->sandbox->put_text("a.txt", content, 0640));
  ATOLL_NEED(std::string back, co_await box->sandbox->get_text("a.txt"));
  EXPECT_EQ(back, content);
  ATOLL_NEED(FileInfo info, co_await box->sandbox->stat("a.txt"));
  EXPECT_EQ(info.kind, FileInfo::kFile);
  EXPECT_EQ(info.size, content.size());
  EXPECT_EQ(info.mode & 07777, 0640u);
  // Replaced as a whole, and what runs inside sees the same.
  ATOLL_NEED_OK(co_await box->sandbox->put_text("a.txt", "new"));
  ATOLL_NEED(ExecResult seen, co_await box->sandbox->exec({.argv = {"cat", "a.txt"}}));
  EXPECT_EQ(seen.stdout_bytes, "new");
  ATOLL_NEED_OK(co_await box->sandbox->put_text("empty", ""));
  ATOLL_NEED(std::string empty, co_await box->sandbox->get_text("empty"));
  EXPECT_EQ(empty, "");
  ATOLL_NEED_OK(co_await box->sandbox->put_text("made/on/the/way.txt", "x"));
}
TEST_P(Conformance, PutsAndGetsFiles) { run(&put_and_get, {Cap::kFiles}); }

Task<void> executable_mode(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->put_text("tool", "#!/bin/sh\necho ran\n", 0755));
  ATOLL_NEED(ExecResult ran, co_await box->sandbox->exec({.argv = {"./tool"}}));
  EXPECT_EQ(ran.stdout_bytes, "ran\n");
  ATOLL_NEED_OK(co_await box->sandbox->chmod("tool", 0600));
  ATOLL_NEED(FileInfo info, co_await box->sandbox->stat("tool"));
  EXPECT_EQ(info.mode & 07777, 0600u);
  ATOLL_EXPECT_CODE(Code::kProgramNotExecutable,
                    co_await box->sandbox->spawn({.argv = {"./tool"}}));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->chmod("missing", 0600));
}
TEST_P(Conformance, KeepsModes) { run(&executable_mode, {Cap::kFiles}); }

Task<void> strange_names(Box* box) {
  // Not in the workspace itself, where a backend may show something of its own.
  ATOLL_NEED_OK(co_await box->sandbox->make_dir("strange", 0755, false));
  for (const std::string& name : {"with space"s, "ümläut-名前-🏝"s, "new\nline"s, "-rf"s, "*"s,
                                  "quo\"te'"s, "bad-utf8-\xff\xfe"s, std::string(255, 'n')}) {
    ATOLL_NEED_OK(co_await box->sandbox->put_text("strange/" + name, name));
    ATOLL_NEED(std::string back, co_await box->sandbox->get_text("strange/" + name));
    EXPECT_EQ(back, name);
    ATOLL_NEED_OK(co_await box->sandbox->remove("strange/" + name, false));
  }
  ATOLL_NEED(auto rest, co_await box->sandbox->list(box->path("strange"), 1));
  EXPECT_TRUE(rest.empty());
}
TEST_P(Conformance, TakesStrangeNames) { run(&strange_names, {Cap::kFiles}); }

Task<void> large_file(Box* box) {
  constexpr std::size_t kPiece = 1'000'000;
  auto piece = [](std::size_t number) {
    std::string bytes(kPiece, '\0');
    for (std::size_t i = 0; i < kPiece; ++i) bytes[i] = static_cast<char>((i + number) * 31 >> 3);
    return bytes;
  };
  reset_peak_memory();
  std::size_t before = peak_memory();
  ATOLL_NEED(auto upload, co_await box->sandbox->put_file("large", 0644));
  for (std::size_t i = 0; i < 100; ++i) ATOLL_NEED_OK(co_await upload->write(piece(i)));
  ATOLL_NEED_OK(co_await upload->finish());
  ATOLL_NEED(auto download, co_await box->sandbox->get_file("large"));
  std::size_t position = 0;
  std::string expected;
  bool same = true;
  for (;;) {
    ATOLL_NEED(std::string bytes, co_await download->read());
    if (bytes.empty()) break;
    for (char byte : bytes) {
      if (position % kPiece == 0) expected = piece(position / kPiece);
      same = same && byte == expected[position++ % kPiece];
    }
  }
  EXPECT_EQ(position, 100 * kPiece);
  EXPECT_TRUE(same);
  EXPECT_LT(peak_memory() - before, 32u << 20) << "memory grew with the file";
}
TEST_P(Conformance, HundredMegabyteFiles) { run(&large_file, {Cap::kFiles}); }

Task<void> folders(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->make_dir("d", 0750, false));
  ATOLL_EXPECT_CODE(Code::kAlreadyExists, co_await box->sandbox->make_dir("d", 0755, false));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->make_dir("x/y/z", 0755, false));
  ATOLL_NEED_OK(co_await box->sandbox->make_dir("x/y/z", 0755, true));
  ATOLL_NEED_OK(co_await box->sandbox->make_dir("x/y/z", 0755, true));
  ATOLL_NEED(FileInfo info, co_await box->sandbox->stat("d"));
  EXPECT_EQ(info.kind, FileInfo::kDirectory);
  EXPECT_EQ(info.mode & 07777, 0750u);
  ATOLL_NEED_OK(co_await box->sandbox->put_text("x/y/file", "12345"));
  ATOLL_NEED(auto shallow, co_await box->sandbox->list("x", 1));
  EXPECT_EQ(shallow.size(), 1u);
  ATOLL_NEED(auto few, co_await box->sandbox->list("x", 10, 1));
  EXPECT_EQ(few.size(), 1u);
  ATOLL_NEED(auto deep, co_await box->sandbox->list("x", 10));
  std::vector<std::string> paths;
  for (const FileInfo& one : deep) paths.push_back(one.path);
  std::ranges::sort(paths);
  EXPECT_EQ(paths, (std::vector<std::string>{"y", "y/file", "y/z"}));
  ATOLL_EXPECT_CODE(Code::kAlreadyExists, co_await box->sandbox->remove("x", false));
  ATOLL_NEED_OK(co_await box->sandbox->remove("x", true));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->stat("x"));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->remove("x", false));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->list("x", 1));
}
TEST_P(Conformance, MakesListsAndRemovesFolders) { run(&folders, {Cap::kFiles}); }

Task<void> moving(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->put_text("from", "content"));
  ATOLL_NEED_OK(co_await box->sandbox->move("from", "to", false));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->stat("from"));
  ATOLL_NEED_OK(co_await box->sandbox->put_text("other", "other"));
  ATOLL_EXPECT_CODE(Code::kAlreadyExists, co_await box->sandbox->move("other", "to", false));
  ATOLL_NEED_OK(co_await box->sandbox->move("other", "to", true));
  ATOLL_NEED(std::string text, co_await box->sandbox->get_text("to"));
  EXPECT_EQ(text, "other");
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->move("missing", "elsewhere", true));
}
TEST_P(Conformance, MovesFiles) { run(&moving, {Cap::kFiles}); }

Task<void> symlinks(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->put_text("target", "behind the link"));
  ATOLL_NEED(ExecResult made, co_await box->sandbox->exec(ExecRequest::shell(
                                  "ln -s target link; ln -s nowhere broken; ln -s loop loop")));
  ATOLL_NEED(FileInfo link, co_await box->sandbox->stat("link"));
  EXPECT_EQ(link.kind, FileInfo::kSymlink);
  EXPECT_EQ(link.target, "target");
  ATOLL_NEED(std::string text, co_await box->sandbox->get_text("link"));
  EXPECT_EQ(text, "behind the link");
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->get_text("broken"));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await box->sandbox->get_text("loop"));
  ATOLL_NEED_OK(co_await box->sandbox->remove("link", false));
  ATOLL_NEED(FileInfo target, co_await box->sandbox->stat("target"));
}
TEST_P(Conformance, HandlesSymlinks) { run(&symlinks, {Cap::kFiles}); }

Task<void> file_errors(Box* box) {
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->get_text("missing"));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->stat("missing"));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await box->sandbox->stat(""));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await box->sandbox->stat("a\0b"s));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument,
                    co_await box->sandbox->get_text(box->sandbox->workspace()));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument,
                    co_await box->sandbox->put_text(box->sandbox->workspace(), "x"));
  ATOLL_NEED_OK(co_await box->sandbox->put_text("file", "x"));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await box->sandbox->put_text("file/below", "x"));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await box->sandbox->list("file", 1));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument,
                    co_await box->sandbox->put_text(std::string(256, 'n'), "x"));
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->get_tree("missing"));
}
TEST_P(Conformance, FileErrorsHaveTheirCodes) { run(&file_errors, {Cap::kFiles}); }

}  // namespace
}  // namespace atl::sandbox
