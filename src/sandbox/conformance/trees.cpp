// Whole folders, searching, watching, snapshots.
#include <algorithm>
#include <map>

#include "guest/pack.hpp"
#include "sandbox/conformance.hpp"

namespace atl::sandbox {
namespace {

using async::Task;
using guest::PackEntry;
using guest::PackReader;

std::string packed(const PackEntry& entry, std::string_view content = {}) {
  return guest::pack_entry(entry).append(content);
}

Result<std::map<std::string, std::string>> unpack(std::string_view pack) {
  std::map<std::string, std::string> content;
  PackReader reader;
  while (!reader.ended()) {
    ATOLL_TRY(PackReader::Event event, reader.next(pack));
    if (event == PackReader::Event::kMore) return fail(Code::kIo, "the archive is truncated");
    if (event == PackReader::Event::kEntry) {
      content[reader.entry().path] =
          reader.entry().kind == FileInfo::kSymlink ? "-> " + reader.entry().target : "";
    }
    if (event == PackReader::Event::kContent) content[reader.entry().path] += reader.content();
  }
  return content;
}

Task<Result<std::string>> read_all(std::unique_ptr<ByteStream> stream) {
  std::string all;
  for (;;) {
    ATOLL_CO_TRY(std::string bytes, co_await stream->read());
    if (bytes.empty()) co_return all;
    all += bytes;
  }
}

Task<void> packs(Box* box) {
  std::string large(700'000, 'l');
  std::string pack = packed({.kind = FileInfo::kDirectory, .mode = 0755, .path = "sub"});
  pack += packed({.mode = 0755, .size = 5, .path = "sub/größe"}, "12345");
  pack += packed({.kind = FileInfo::kSymlink, .path = "link", .target = "sub/größe"});
  pack += packed({.mode = 0600, .size = large.size(), .path = "large"}, large);
  pack += guest::pack_end();
  ATOLL_NEED_OK(co_await box->sandbox->make_dir("tree", 0755, false));
  ATOLL_NEED(auto upload, co_await box->sandbox->put_tree("tree"));
  ATOLL_NEED_OK(co_await upload->write(pack));
  ATOLL_NEED_OK(co_await upload->finish());
  ATOLL_NEED(FileInfo file, co_await box->sandbox->stat("tree/sub/größe"));
  EXPECT_EQ(file.mode & 07777, 0755u);
  ATOLL_NEED(auto download, co_await box->sandbox->get_tree("tree"));
  ATOLL_NEED(std::string back, co_await read_all(std::move(download)));
  ATOLL_NEED(auto content, unpack(back));
  EXPECT_EQ(content.size(), 4u);
  EXPECT_EQ(content["sub/größe"], "12345");
  EXPECT_EQ(content["link"], "-> sub/größe");
  EXPECT_TRUE(content["large"] == large);
}
TEST_P(Conformance, MovesWholeFolders) { run(&packs, {Cap::kFiles}); }

Task<void> forged_packs(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->make_dir("tree", 0755, false));
  ATOLL_NEED(auto outside, co_await box->sandbox->put_tree("tree"));
  ATOLL_NEED_OK(co_await outside->write(packed({.size = 1, .path = "../escaped"}, "x")));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await outside->finish());
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->stat("escaped"));
  ATOLL_NEED(auto nonsense, co_await box->sandbox->put_tree("tree"));
  ATOLL_NEED_OK(co_await nonsense->write("this is not a pack at all, is it?"));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await nonsense->finish());
}
TEST_P(Conformance, RefusesForgedPacks) { run(&forged_packs, {Cap::kFiles}); }

Task<void> search(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->put_text("a/one.py", "import os\n"));
  ATOLL_NEED_OK(co_await box->sandbox->put_text("a/two.py", "print(1)\n"));
  ATOLL_NEED_OK(co_await box->sandbox->put_text("a/three.txt", "import os\n"));
  ATOLL_NEED(auto by_name, co_await box->sandbox->search({.root = "a", .name_glob = "*.py"}));
  EXPECT_EQ(by_name.size(), 2u);
  ATOLL_NEED(auto by_both, co_await box->sandbox->search(
                               {.root = "a", .name_glob = "*.py", .contains = "import os"}));
  EXPECT_EQ(by_both.size(), 1u);
  if (!by_both.empty()) EXPECT_TRUE(by_both[0].path.ends_with("one.py")) << by_both[0].path;
  ATOLL_NEED(auto bounded, co_await box->sandbox->search({.root = "a", .max_results = 1}));
  EXPECT_EQ(bounded.size(), 1u);
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->search({.root = "missing"}));
}
TEST_P(Conformance, SearchesFiles) { run(&search, {Cap::kFiles}); }

Task<void> watch(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->make_dir("w", 0755, false));
  ATOLL_NEED(auto watching, co_await box->sandbox->watch("w", true));
  ATOLL_NEED(ExecResult done, co_await box->sandbox->exec(ExecRequest::shell(
                                  "cd w; echo x > f; mkdir d; echo y > d/g; rm f")));
  bool created = false;
  bool deep = false;
  bool removed = false;
  while (!created || !deep || !removed) {
    ATOLL_NEED(WatchEvent event, co_await watching->next());
    created = created || (event.kind == WatchEvent::kCreated && event.path == "f");
    deep = deep || event.path == "d/g";
    removed = removed || (event.kind == WatchEvent::kRemoved && event.path == "f");
  }
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->watch("missing", false));
}
TEST_P(Conformance, WatchesFiles) { run(&watch, {Cap::kWatch}); }

Task<Result<void>> keep(std::string* into, std::string piece) {
  *into += piece;
  co_return Result<void>();
}

// In pieces of an odd size, which fall anywhere.
Task<Result<std::string>> give(std::string* from) {
  std::string piece = from->substr(0, 1021);
  from->erase(0, piece.size());
  co_return piece;
}

Task<Result<void>> restore(Sandbox* sandbox, std::string bytes) {
  co_return co_await sandbox->restore([&bytes] { return give(&bytes); });
}

Task<void> snapshot(Box* box) {
  ATOLL_NEED_OK(co_await box->sandbox->put_text("dir/kept", "before"));
  ATOLL_NEED(ExecResult link,
             co_await box->sandbox->exec({.argv = {"ln", "-s", "kept", "dir/link"}}));
  std::string large(3u << 20, 'x');
  ATOLL_NEED_OK(co_await box->sandbox->put_text("large", large));
  std::string snapshot;
  ATOLL_NEED_OK(co_await box->sandbox->snapshot(
      [&snapshot](std::string piece) { return keep(&snapshot, std::move(piece)); }));
  ATOLL_NEED_OK(co_await box->sandbox->put_text("dir/kept", "after"));
  ATOLL_NEED_OK(co_await box->sandbox->put_text("later", "gone after restore"));
  ATOLL_NEED_OK(co_await restore(box->sandbox.get(), snapshot));
  ATOLL_NEED(std::string kept, co_await box->sandbox->get_text("dir/link"));
  EXPECT_EQ(kept, "before");
  ATOLL_EXPECT_CODE(Code::kNotFound, co_await box->sandbox->stat("later"));
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await restore(box->sandbox.get(), "no snapshot"));
  ATOLL_NEED(std::string again, co_await box->sandbox->get_text("large"));
  EXPECT_EQ(again, large);

  // And into another sandbox.
  ATOLL_NEED(auto other, co_await box->backend->create(box->target->spec()));
  ATOLL_NEED_OK(co_await other->start());
  ATOLL_NEED_OK(co_await restore(other.get(), snapshot));
  ATOLL_NEED(std::string there, co_await other->get_text("dir/kept"));
  EXPECT_EQ(there, "before");
  snapshot.resize(snapshot.size() - 1);
  ATOLL_EXPECT_CODE(Code::kInvalidArgument, co_await restore(other.get(), snapshot));
  ATOLL_NEED_OK(co_await other->stop());
}
TEST_P(Conformance, SnapshotsAndRestores) { run(&snapshot, {Cap::kSnapshot}); }

}  // namespace
}  // namespace atl::sandbox
