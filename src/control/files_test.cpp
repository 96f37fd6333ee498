// Files of a session, on the fake backend: no HTTP.
#include "control/files.hpp"

#include <gtest/gtest.h>

#include "control/test_control.hpp"

namespace atl::control::test {
namespace {

using async::Task;

// Pieces in order; then the end, or this error.
class Pieces final : public ByteSource {
 public:
  explicit Pieces(std::vector<std::string> pieces, std::optional<Error> error = {})
      : pieces_(std::move(pieces)), error_(std::move(error)) {}
  Task<Result<std::optional<std::string>>> next() override {
    if (at_ < pieces_.size()) co_return pieces_[at_++];
    if (error_) co_return fail(*error_);
    co_return std::nullopt;
  }

 private:
  std::vector<std::string> pieces_;
  std::optional<Error> error_;
  std::size_t at_ = 0;
};

Task<void> put(Plane* plane, SessionId id, std::string path, std::string text) {
  Pieces content({std::move(text)});
  auto written = co_await plane->control->files().write({}, std::move(id),
                                                        {.path = std::move(path)}, &content);
  EXPECT_TRUE(written.has_value()) << written.error().to_string();
}

Task<std::string> all_of(ByteSource* source) {
  std::string text;
  for (;;) {
    Result<std::optional<std::string>> piece = co_await source->next();
    if (!piece) {
      ADD_FAILURE() << piece.error().to_string();
      co_return text;
    }
    if (!*piece) co_return text;
    EXPECT_FALSE((*piece)->empty());
    text += **piece;
  }
}

Task<void> there_and_back(Plane* plane) {
  Files& files = plane->control->files();
  SessionId id = co_await make_session(plane);
  Pieces content({"hello ", "world"});
  auto first = co_await files.write({}, id, {.path = "a/b.txt", .mode = 0640}, &content);
  EXPECT_TRUE(first && first->is_new);
  EXPECT_EQ(first->file.path, "a/b.txt");
  EXPECT_EQ(first->file.size, 11u);
  EXPECT_EQ(first->file.mode & 0777u, 0640u);
  EXPECT_EQ(first->file.kind, model::File::Kind::kFile);
  Pieces again({"hello again"});
  EXPECT_FALSE((co_await files.write({}, id, {.path = "a/b.txt"}, &again))->is_new);
  auto opened = co_await files.open({}, id, "/workspace/a/b.txt");
  EXPECT_EQ(opened->info().path, "a/b.txt");
  auto whole = co_await opened->content(0, 11);
  EXPECT_EQ(co_await all_of(whole->get()), "hello again");
  auto part = co_await opened->content(6, 3);
  EXPECT_EQ(co_await all_of(part->get()), "aga");
}

TEST(Files, AreWrittenAndRead) { with_control(there_and_back); }

Task<void> torn(Plane* plane) {
  Files& files = plane->control->files();
  SessionId id = co_await make_session(plane);
  Pieces content({"half"}, Error(Code::kTooLarge, "enough"));
  auto written = co_await files.write({}, id, {.path = "f"}, &content);
  EXPECT_EQ(written.error().code(), Code::kTooLarge);
  auto page = co_await files.list({}, id, {});
  EXPECT_TRUE(page->files.empty());
}

TEST(Files, AreVisibleOnlyWhole) { with_control(torn); }

Task<void> pages(Plane* plane) {
  Files& files = plane->control->files();
  SessionId id = co_await make_session(plane);
  for (const char* name : {"c", "a", "b"}) co_await put(plane, id, name, "x");
  auto first = co_await files.list({}, id, {.limit = 2});
  EXPECT_EQ(first->files.size(), 2u);
  EXPECT_EQ(first->files[0].path, "a");
  EXPECT_EQ(first->next, "b");
  EXPECT_TRUE(first->truncated);
  auto second = co_await files.list({}, id, {.after = first->next, .limit = 2});
  EXPECT_EQ(second->files.size(), 1u);
  EXPECT_EQ(second->files[0].path, "c");
  EXPECT_TRUE(second->next.empty());
  EXPECT_FALSE(second->truncated);
  auto found = co_await files.list({}, id, {.glob = "[ab]"});
  EXPECT_EQ(found->files.size(), 2u);
}

TEST(Files, AreListedInPages) { with_control(pages); }

Task<void> changes(Plane* plane) {
  Files& files = plane->control->files();
  SessionId id = co_await make_session(plane);
  auto folder = co_await files.make_folder({}, id, {.path = "d/e"});
  EXPECT_EQ(folder->kind, model::File::Kind::kDirectory);
  co_await put(plane, id, "f", "x");
  EXPECT_EQ((co_await files.move({}, id, {.from = "f", .to = "d/e/g"}))->path, "d/e/g");
  EXPECT_EQ((co_await files.change_mode({}, id, "d/e/g", 0600))->mode & 0777u, 0600u);
  co_await put(plane, id, "f", "y");
  auto taken = co_await files.move({}, id, {.from = "f", .to = "d/e/g"});
  EXPECT_EQ(taken.error().code(), Code::kAlreadyExists);
  EXPECT_FALSE((co_await files.remove({}, id, "d", false)).has_value());
  EXPECT_TRUE((co_await files.remove({}, id, "d", true)).has_value());
  EXPECT_EQ((co_await files.open({}, id, "d")).error().code(), Code::kNotFound);
}

TEST(Files, AreMovedChangedAndRemoved) { with_control(changes); }

Task<void> refused(Plane* plane) {
  Files& files = plane->control->files();
  SessionId id = co_await make_session(plane);
  for (const char* path : {"", "/tmp", "../x", "/etc/passwd"}) {
    EXPECT_EQ((co_await files.remove({}, id, path, true)).error().code(), Code::kInvalidArgument);
    EXPECT_EQ((co_await files.make_folder({}, id, {.path = path})).error().code(),
              Code::kInvalidArgument);
    EXPECT_EQ((co_await files.change_mode({}, id, path, 0)).error().code(), Code::kInvalidArgument);
    EXPECT_EQ((co_await files.move({}, id, {.from = "a", .to = path})).error().code(),
              Code::kInvalidArgument);
  }
  Caller stranger{.tenant = "another"};
  EXPECT_EQ((co_await files.list(stranger, id, {})).error().code(), Code::kSessionNotFound);
  (void)co_await plane->control->session_ender().remove({}, id);
  EXPECT_EQ((co_await files.list({}, id, {})).error().code(), Code::kConflict);
}

TEST(Files, OutsideOfTheWorkspaceAreRefused) { with_control(refused); }

Task<void> several(Plane* plane) {
  Files& files = plane->control->files();
  SessionId id = co_await make_session(plane);
  auto upload = co_await files.upload({}, id, {.folder = "in", .mode = 0600});
  EXPECT_TRUE((co_await upload->begin("one")).has_value());
  EXPECT_TRUE((co_await upload->write("12")).has_value());
  EXPECT_TRUE((co_await upload->write("3")).has_value());
  auto one = co_await upload->finish();
  EXPECT_EQ(one->path, "in/one");
  EXPECT_EQ(one->size, 3u);
  EXPECT_TRUE(upload->set_folder("other").has_value());
  EXPECT_EQ((co_await upload->begin(".")).error().code(), Code::kInvalidArgument);
  EXPECT_TRUE((co_await upload->begin("two")).has_value());
  EXPECT_EQ((co_await upload->finish())->path, "other/two");
}

TEST(Files, AreUploadedTogether) { with_control(several); }

Task<void> archive(Plane* plane) {
  SessionId id = co_await make_session(plane);
  co_await put(plane, id, "d/name-in-archive", "content-in-archive");
  auto folder = co_await plane->control->files().open({}, id, "d");
  EXPECT_EQ(folder->info().kind, model::File::Kind::kDirectory);
  auto source = co_await folder->archive();
  std::string tar = co_await all_of(source->get());
  EXPECT_EQ(tar.size() % 512, 0u);
  EXPECT_NE(tar.find("name-in-archive"), std::string::npos);
  EXPECT_NE(tar.find("content-in-archive"), std::string::npos);
}

TEST(Files, AFolderIsReadAsAnArchive) { with_control(archive); }

Task<void> watched(Plane* plane) {
  SessionId id = co_await make_session(plane);
  auto seen = co_await plane->control->files().watch({}, id, "", true);
  EXPECT_TRUE(seen.has_value()) << seen.error().to_string();
  co_await put(plane, id, "new", "x");
  for (;;) {
    auto change = co_await (*seen)->next();
    if (!change || !*change) {
      ADD_FAILURE() << "the watch ended";
      break;
    }
    if ((*change)->path == "new") break;
  }
}

TEST(Files, ChangesAreSeen) { with_control(watched); }

Task<void> used(Plane* plane) {
  SessionId id = co_await make_session(plane);
  co_await put(plane, id, "f", "x");
  auto live = co_await plane->control->sessions().live({}, id);
  EXPECT_EQ((*live)->users, 0u);
  {
    auto opened = co_await plane->control->files().open({}, id, "f");
    EXPECT_EQ((*live)->users, 1u);
  }
  EXPECT_EQ((*live)->users, 0u);
  auto processes = co_await plane->control->sessions().processes({}, id);
  EXPECT_TRUE(processes.has_value()) << processes.error().to_string();
}

TEST(Files, ASessionWhoseFileIsReadIsNotIdle) { with_control(used); }

}  // namespace
}  // namespace atl::control::test
