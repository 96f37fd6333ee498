#include <algorithm>
#include <memory>
#include <span>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "api/rest/test_api.hpp"
#include "async/deadline.hpp"

namespace atl::api::rest::test {
namespace {

std::string part(std::string_view head, std::string_view content) {
  return "--B\r\nContent-Disposition: form-data; " + std::string(head) + "\r\n\r\n" +
         std::string(content) + "\r\n";
}

const http::Headers kMultipart{{"Content-Type", "multipart/form-data; boundary=B"}};

Task<void> there_and_back(Api* api) {
  std::string files = "/api/v1/sessions/" + co_await api->make_session() + "/files";
  std::string body =
      part("name=\"file\"; filename=\"a.txt\"", "alpha") + part("name=\"path\"", "deep/er") +
      part("name=\"file\"; filename=\"b.bin\"", std::string("\0\xff", 2)) + "--B--\r\n";
  Reply up = co_await api->call(Method::kPost, files + "/upload", body, kMultipart);
  EXPECT_EQ(up.status, 201) << up.body;
  EXPECT_EQ(up.at({"files", "0", "path"}), "a.txt");
  EXPECT_EQ(up.at({"files", "1", "path"}), "deep/er/b.bin") << up.body;
  Reply down = co_await api->call(Method::kGet, files + "/deep/er/b.bin");
  EXPECT_EQ(down.body, std::string("\0\xff", 2));
  Reply put = co_await api->call(Method::kPut, files + "/x/y.sh?mode=0755", "0123456789",
                                 {{"Content-Type", "application/octet-stream"}});
  EXPECT_EQ(put.status, 201) << put.body;
  EXPECT_EQ(put.at({"mode"}), "0755");
  EXPECT_EQ(put.at({"path"}), "x/y.sh");
  Reply some = co_await api->call(Method::kGet, files + "/x/y.sh", {}, {{"Range", "bytes=3-5"}});
  EXPECT_EQ(some.status, 206);
  EXPECT_EQ(some.body, "345");
  EXPECT_EQ(some.headers.get("content-range"), "bytes 3-5/10");
  Reply none = co_await api->call(Method::kGet, files + "/x/y.sh", {}, {{"Range", "bytes=10-"}});
  EXPECT_EQ(none.status, 416);
  Reply stale = co_await api->call(Method::kGet, files + "/x/y.sh", {},
                                   {{"Range", "bytes=3-5"}, {"If-Range", "\"old\""}});
  EXPECT_EQ(stale.body, "0123456789");
  Reply head = co_await api->call(Method::kHead, files + "/x/y.sh");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.get("content-length"), "10");
  Reply tar = co_await api->call(Method::kGet, files + "/x");
  EXPECT_EQ(tar.headers.get("content-type"), "application/x-tar");
  EXPECT_EQ(tar.body.substr(0, 5), std::string("y.sh\0", 5));
  EXPECT_EQ(tar.body.substr(512, 10), "0123456789");
  EXPECT_EQ(tar.body.size(), 512u * 4);
  Reply listed = co_await api->call(Method::kGet, files + "?depth=3");
  EXPECT_NE(listed.body.find("\"deep/er/b.bin\""), std::string::npos) << listed.body;
  Reply found = co_await api->call(Method::kGet, files + "?contains=alph");
  EXPECT_EQ(found.at({"files", "0", "path"}), "a.txt") << found.body;
  EXPECT_EQ(found.at({"files", "1"}), "");
  Reply full = co_await api->call(Method::kDelete, files + "/x");
  EXPECT_NE(full.status, 204);
  Reply gone = co_await api->call(Method::kDelete, files + "/x?recursive=true");
  EXPECT_EQ(gone.status, 204) << gone.body;
  Reply missing = co_await api->call(Method::kGet, files + "/x/y.sh");
  EXPECT_EQ(missing.status, 404);
}

Task<void> operations(Api* api) {
  std::string files = "/api/v1/sessions/" + co_await api->make_session() + "/files";
  Reply made =
      co_await api->call(Method::kPost, files + "/mkdir", R"({"path":"mkdir/deep","mode":"0700"})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"path"}), "mkdir/deep");
  EXPECT_EQ(made.at({"type"}), "directory");
  EXPECT_EQ(made.at({"mode"}), "0700");
  Reply again = co_await api->call(Method::kPost, files + "/mkdir", R"({"path":"mkdir/deep"})");
  EXPECT_EQ(again.status, 201) << again.body;
  Reply twice = co_await api->call(Method::kPost, files + "/mkdir",
                                   R"({"path":"mkdir/deep","parents":false})");
  EXPECT_EQ(twice.status, 409) << twice.body;
  for (const char* name : {"/a", "/b"}) {
    (void)co_await api->call(Method::kPut, files + name, name,
                             {{"Content-Type", "application/octet-stream"}});
  }
  Reply moved = co_await api->call(Method::kPost, files + "/move",
                                   R"({"from":"a","to":"/workspace/mkdir/deep/a"})");
  EXPECT_EQ(moved.status, 200) << moved.body;
  EXPECT_EQ(moved.at({"path"}), "mkdir/deep/a");
  std::string body = R"({"from":"b","to":"mkdir/deep/a")";
  Reply taken = co_await api->call(Method::kPost, files + "/move", body + "}");
  EXPECT_EQ(taken.status, 409) << taken.body;
  Reply over = co_await api->call(Method::kPost, files + "/move", body + R"(,"overwrite":true})");
  EXPECT_EQ(over.status, 200) << over.body;
  Reply read = co_await api->call(Method::kGet, files + "/mkdir/deep/a");
  EXPECT_EQ(read.body, "/b");
  Reply gone = co_await api->call(Method::kGet, files + "/b");
  EXPECT_EQ(gone.status, 404);
  Reply mode = co_await api->call(Method::kPost, files + "/chmod",
                                  R"({"path":"mkdir/deep/a","mode":"0750"})");
  EXPECT_EQ(mode.status, 200) << mode.body;
  EXPECT_EQ(mode.at({"mode"}), "0750");
  Reply folder = co_await api->call(Method::kGet, files + "/mkdir");  // a name like any other
  EXPECT_EQ(folder.headers.get("content-type"), "application/x-tar");
}

Task<void> links(Api* api) {
  std::string files = "/api/v1/sessions/" + co_await api->make_session() + "/files";
  (void)co_await api->call(Method::kPut, files + "/tree/d/a", "content",
                           {{"Content-Type", "application/octet-stream"}});
  for (int i = 0; i < 2; ++i) {  // the second time they replace the first
    Reply made = co_await api->call(
        Method::kPost, files + "/links",
        R"({"path":"tree","links":[{"name":"l","target":"d/a"},{"name":"n/up","target":"../l"}]})");
    EXPECT_EQ(made.status, 200) << made.body;
    EXPECT_EQ(made.at({"path"}), "tree");
  }
  Reply read = co_await api->call(Method::kGet, files + "/tree/n/up");
  EXPECT_EQ(read.body, "content");
  Reply made = co_await api->call(Method::kPost, files + "/links",
                                  R"({"path":"new","links":[{"name":"x","target":"y"}]})");
  EXPECT_EQ(made.status, 200) << made.body;
  for (const char* name : {"x", "n/../x", "/x", "..", "l"}) {
    for (const char* target : {"/etc/passwd", "../x", "d/../../x", ""}) {
      boost::json::object link{{"name", name}, {"target", target}};
      boost::json::object body{{"path", "tree"}, {"links", boost::json::array{link}}};
      Reply refused =
          co_await api->call(Method::kPost, files + "/links", boost::json::serialize(body));
      EXPECT_EQ(refused.status, 422) << name << " -> " << target;
    }
  }
  Reply outside = co_await api->call(Method::kPost, files + "/links",
                                     R"({"path":"/etc","links":[{"name":"x","target":"y"}]})");
  EXPECT_EQ(outside.status, 400) << outside.body;
}

Task<void> refused_operations(Api* api) {
  std::string files = "/api/v1/sessions/" + co_await api->make_session() + "/files";
  struct Case {
    const char *operation, *body;
    int status;
    const char* at;
  };
  for (const Case& one :
       std::vector<Case>{{"/mkdir", "{}", 400, "/path"},
                         {"/mkdir", R"({"path":"a","mode":"9"})", 422, "/mode"},
                         {"/mkdir", R"({"path":"a","mode":"4755"})", 422, "/mode"},
                         {"/mkdir", R"({"path":"../a"})", 400, ""},
                         {"/mkdir", R"({"path":"/etc/a"})", 400, ""},
                         {"/move", R"({"from":"a"})", 400, "/to"},
                         {"/move", R"({"to":"a"})", 400, "/from"},
                         {"/move", R"({"from":"","to":"a"})", 400, ""},
                         {"/move", R"({"from":"a","to":"/tmp"})", 400, ""},
                         {"/move", R"({"from":"a","to":"/etc/a"})", 400, ""},
                         {"/move", R"({"from":"none","to":"a"})", 404, ""},
                         {"/chmod", R"({"path":"a"})", 400, "/mode"},
                         {"/chmod", R"({"path":"/workspace","mode":"0"})", 400, ""},
                         {"/chmod", R"({"path":"none","mode":"0"})", 404, ""}}) {
    Reply refused = co_await api->call(Method::kPost, files + one.operation, one.body);
    EXPECT_EQ(refused.status, one.status) << one.operation << one.body << refused.body;
    EXPECT_EQ(refused.at({"at"}), one.at) << one.operation << one.body;
  }
}

Task<void> traversal(Api* api) {
  std::string files = "/api/v1/sessions/" + co_await api->make_session() + "/files";
  for (const char* name : {"/../x", "/a/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/%2e%2e/x"}) {
    Reply read = co_await api->call(Method::kGet, files + name);
    EXPECT_EQ(read.status, 400) << name << read.body;
    Reply put = co_await api->call(Method::kPut, files + name, "x",
                                   {{"Content-Type", "application/octet-stream"}});
    EXPECT_EQ(put.status, 400) << name;
  }
  for (const char* name : {"../up", "/etc/up", "a/../../up", ""}) {
    std::string body =
        part("name=\"file\"; filename=\"" + std::string(name) + "\"", "x") + "--B--\r\n";
    Reply up = co_await api->call(Method::kPost, files + "/upload", body, kMultipart);
    EXPECT_EQ(up.status, 400) << name << up.body;
  }
  Reply root = co_await api->call(Method::kDelete, files + "/?recursive=true");
  EXPECT_EQ(root.status, 400);
  Reply type = co_await api->call(Method::kPost, files + "/upload", "{}");
  EXPECT_EQ(type.status, 415);
}

// An upload that is cut leaves nothing.
Task<void> cut_off(Api* api) {
  std::string files = "/api/v1/sessions/" + co_await api->make_session() + "/files";
  std::string body =
      part("name=\"file\"; filename=\"whole.txt\"", "whole") +
      "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"cut.txt\"\r\n\r\nhalf";
  Reply up = co_await api->call(Method::kPost, files + "/upload", body, kMultipart);
  EXPECT_EQ(up.status, 400) << up.body;
  Reply listed = co_await api->call(Method::kGet, files);
  EXPECT_EQ(listed.body.find("cut.txt"), std::string::npos) << listed.body;
  EXPECT_EQ(listed.at({"files", "1"}), "") << listed.body;
  Reply cut = co_await api->call(Method::kGet, files + "/cut.txt");
  EXPECT_EQ(cut.status, 404);
}

// Some bytes, then the connection is cut.
Task<Result<std::size_t>> half_a_file(std::shared_ptr<int> calls, std::span<char> into) {
  if ((*calls)++ > 0) co_return fail(Code::kCancelled, "cut");
  std::ranges::fill(into, 'x');
  co_return into.size();
}

Task<void> vanishes(Api* api) {
  std::string id = co_await api->make_session();
  std::string files = "/api/v1/sessions/" + id + "/files";
  http::ClientRequest request{.method = Method::kPut, .target = files + "/cut.bin"};
  request.headers = {{"Content-Type", "application/octet-stream"}};
  auto calls = std::make_shared<int>(0);
  request.source = [calls](std::span<char> into) { return half_a_file(calls, into); };
  request.source_length = 100'000'000;
  {
    http::Client other(api->executor, {.endpoint = "http://" + api->address});
    auto response = co_await other.send(std::move(request));
    EXPECT_FALSE(response.has_value());
  }
  auto live = co_await api->control->sessions().live({}, SessionId(id));
  EXPECT_TRUE(live.has_value());
  // The handler holds the session as long as it works.
  while (live && (*live)->users > 0) co_await async::yield_now();
  Reply listed = co_await api->call(Method::kGet, files);
  EXPECT_EQ(listed.at({"files"}), "[]") << listed.body;
}

// More than any buffer, so that it must flow.
Task<void> large(Api* api) {
  std::string files = "/api/v1/sessions/" + co_await api->make_session() + "/files";
  std::string body;
  while (body.size() < (12u << 20)) body += "line " + std::to_string(body.size()) + "\n";
  Reply put = co_await api->call(Method::kPut, files + "/big", body,
                                 {{"Content-Type", "application/octet-stream"}});
  EXPECT_EQ(put.at({"size"}), std::to_string(body.size())) << put.body;
  Reply got = co_await api->call(Method::kGet, files + "/big");
  EXPECT_TRUE(got.body == body);
  Reply tail = co_await api->call(Method::kGet, files + "/big", {}, {{"Range", "bytes=-100"}});
  EXPECT_EQ(tail.body, body.substr(body.size() - 100));
}

Task<void> watched(Api* api) {
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  http::ClientRequest request{.target = session + "/files/watch"};
  auto response = co_await api->client->send(std::move(request));
  EXPECT_TRUE(response && response->status() == 200);
  Reply put = co_await api->call(Method::kPut, session + "/files/new.txt", "x",
                                 {{"Content-Type", "application/octet-stream"}});
  EXPECT_EQ(put.status, 201);
  http::SseReader reader;
  std::string buffer(4096, '\0');
  std::string seen;
  while (response && seen.find("new.txt") == seen.npos) {
    auto got = co_await response->read_some(std::span(buffer));
    if (!got || *got == 0) break;
    seen += buffer.substr(0, *got);
  }
  EXPECT_NE(seen.find("\"path\":\"new.txt\""), seen.npos) << seen;
}

Task<void> snapshots(Api* api) {
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  (void)co_await api->call(Method::kPut, session + "/files/kept/a", "kept",
                           {{"Content-Type", "application/octet-stream"}});
  Reply made = co_await api->call(Method::kPost, session + "/snapshots", R"({"name":"n"})");
  EXPECT_EQ(made.status, 201) << made.body;
  std::string id = made.at({"id"});
  Reply second = co_await api->call(
      Method::kPost, "/api/v1/sessions",
      R"({"template_id":"shell-default","snapshot_id":")" + id + R"("})", {{"Prefer", "wait"}});
  EXPECT_EQ(second.status, 201) << second.body;
  Reply file =
      co_await api->call(Method::kGet, "/api/v1/sessions/" + second.at({"id"}) + "/files/kept/a");
  EXPECT_EQ(file.body, "kept");
  Reply listed = co_await api->call(Method::kGet, "/api/v1/snapshots");
  EXPECT_EQ(listed.at({"snapshots", "0", "name"}), "n") << listed.body;
  Reply got = co_await api->call(Method::kGet, "/api/v1/snapshots/" + id);
  EXPECT_EQ(got.at({"id"}), id) << got.body;
  Reply removed = co_await api->call(Method::kDelete, "/api/v1/snapshots/" + id);
  EXPECT_EQ(removed.status, 204) << removed.body;
  Reply gone = co_await api->call(Method::kGet, "/api/v1/snapshots/" + id);
  EXPECT_EQ(gone.status, 404);
}

// Every file once, whatever order the guest finds them in.
Task<void> paged(Api* api) {
  std::string session = "/api/v1/sessions/" + co_await api->make_session();
  std::string files = session + "/files";
  http::Headers bytes{{"Content-Type", "application/octet-stream"}};
  for (const char* name : {"b", "d/x", "a", "c"}) {
    (void)co_await api->call(Method::kPut, files + "/" + name, "text", bytes);
  }
  for (std::string query : {"depth=2", "glob=*", "contains=text"}) {
    std::string seen, cursor;
    for (int page = 0; page < 10; ++page) {
      std::string target = files;
      target.append("?limit=2&").append(query).append("&cursor=").append(cursor);
      Reply listed = co_await api->call(Method::kGet, std::move(target));
      EXPECT_EQ(listed.status, 200) << listed.body;
      for (const char* index : {"0", "1", "2"}) {
        seen += listed.at({"files", index, "path"});
      }
      cursor = listed.at({"next_cursor"});
      EXPECT_EQ(listed.at({"truncated"}), cursor.empty() ? "false" : "true");
      if (cursor.empty()) break;
    }
    EXPECT_EQ(seen, query == "contains=text" ? "abcd/x" : "abcdd/x") << query;
  }
  Reply bad = co_await api->call(Method::kGet, files + "?cursor=x");
  EXPECT_EQ(bad.status, 400) << bad.body;
}

Task<void> replaced(Api* api) {
  std::string files = "/api/v1/sessions/" + co_await api->make_session() + "/files";
  (void)co_await api->call(Method::kPut, files + "/a?mode=0600", "one two one",
                           {{"Content-Type", "application/octet-stream"}});
  Reply done = co_await api->call(Method::kPost, files + "/replace",
                                  R"({"path":"a","old_text":"one","new_text":"1"})");
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.at({"count"}), "2");
  EXPECT_EQ(done.at({"file", "mode"}), "0600");
  Reply read = co_await api->call(Method::kGet, files + "/a");
  EXPECT_EQ(read.body, "1 two 1");
  Reply none =
      co_await api->call(Method::kPost, files + "/replace", R"({"path":"a","old_text":"three"})");
  EXPECT_EQ(none.at({"count"}), "0") << none.body;
  Reply empty =
      co_await api->call(Method::kPost, files + "/replace", R"({"path":"a","old_text":""})");
  EXPECT_EQ(empty.status, 422) << empty.body;
  EXPECT_EQ(empty.at({"at"}), "/old_text");
  Reply missing =
      co_await api->call(Method::kPost, files + "/replace", R"({"path":"b","old_text":"x"})");
  EXPECT_EQ(missing.status, 404) << missing.body;
}

// covers: replaceText
TEST(FileRoutes, TextIsReplaced) { with_api(replaced); }
// covers: listFiles
TEST(FileRoutes, PagesOfAListing) { with_api(paged); }
// covers: deleteFile, downloadFile, listFiles, putFile, uploadFiles
TEST(FileRoutes, ThereAndBack) { with_api(there_and_back); }
// covers: makeLinks
TEST(FileRoutes, LinksStayInside) { with_api(links); }
// covers: changeFileMode, makeFolder, moveFile
TEST(FileRoutes, FoldersMovesAndModes) { with_api(operations); }
// covers: changeFileMode, makeFolder, moveFile
TEST(FileRoutes, OperationsAreRefusedWithTheirPlace) { with_api(refused_operations); }
TEST(FileRoutes, NowhereElse) { with_api(traversal); }
// covers: listFiles
TEST(FileRoutes, CutUploadLeavesNothing) { with_api(cut_off); }
// covers: listFiles
TEST(FileRoutes, ClientThatVanishesLeavesNothing) { with_api(vanishes); }
// covers: downloadFile, putFile
TEST(FileRoutes, LargeFilesFlow) { with_api(large); }
// covers: putFile, watchFiles
TEST(FileRoutes, ChangesAreSeen) { with_api(watched); }
// covers: createSnapshot, deleteSnapshot, downloadFile, getSnapshot, listSnapshots, putFile
// covers: C21
TEST(SnapshotRoutes, FilesOfANewSession) { with_api(snapshots); }

}  // namespace
}  // namespace atl::api::rest::test
